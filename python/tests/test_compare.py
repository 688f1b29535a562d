"""A predicted step beside a measured one, two calibrations, and the figures of repeated timings."""

import copy
import json
import statistics
from pathlib import Path
from typing import Any

import pytest

from spotsim_calibrate.command import write_json
from spotsim_calibrate.compare import compared, main, table
from spotsim_calibrate.errors import BadInputError
from spotsim_calibrate.repeat import repeated
from spotsim_calibrate.sensors import parse
from spotsim_calibrate.stats import summary

STEP: dict[str, Any] = json.loads((Path(__file__).parent / "step.json").read_text())
PREDICTED: dict[str, Any] = json.loads((Path(__file__).parent / "predicted.json").read_text())


def predicted(whole_ms: float) -> dict[str, Any]:
    """Return a prediction of a step that takes so long."""
    found = copy.deepcopy(PREDICTED)
    gpu = found["clusters"][0]["gpu"]
    factor = whole_ms / (gpu["forward_ms"] + gpu["backward_ms"] + gpu["optimizer_ms"])
    for name in ("forward_ms", "backward_ms", "optimizer_ms"):
        gpu[name] *= factor
    return found


def test_groups_and_gaps_sum_to_the_step_on_both_sides() -> None:
    """Nothing of either time is left out of the table."""
    found = compared(STEP, PREDICTED, 0.08)
    for side in ("predicted_ms", "measured_ms"):
        parts = sum(row[side] for row in found["groups"]) + found["gaps"][side]
        assert parts == pytest.approx(found["whole"][side])
    assert sum(row["share"] for row in found["groups"]) + found["gaps"]["share"] == pytest.approx(1.0)


@pytest.mark.parametrize(("whole_ms", "code"), [(107.9, 0), (92.1, 0), (108.1, 3), (91.9, 3)])
def test_a_step_that_is_off_by_more_than_the_tolerance_is_exit_code_3(
    tmp_path: Path, whole_ms: float, code: int
) -> None:
    """Measured are 100 ms; the tolerance is 8 % of them either way."""
    write_json(STEP | {"step": STEP["step"] | {"median_ms": 100.0}}, tmp_path / "step.json")
    write_json(predicted(whole_ms), tmp_path / "predicted.json")
    arguments = ["--step", f"{tmp_path}/step.json", "--predicted", f"{tmp_path}/predicted.json"]
    assert main([*arguments, "--out", f"{tmp_path}/out.json"]) == code
    assert json.loads((tmp_path / "out.json").read_text())["within"] == (code == 0)


def test_a_group_that_one_side_lacks_is_in_the_table_without_a_difference() -> None:
    """No prediction has `other`."""
    found = {row["name"]: row for row in compared(STEP, PREDICTED, 0.08)["groups"]}
    assert found["other"]["difference"] is None
    assert found["other"]["measured_ms"] > 0.0
    assert "other" in table(compared(STEP, PREDICTED, 0.08))


def test_the_table_says_how_much_of_the_prediction_was_measured() -> None:
    """6 of 10 ms, and 1 between two sizes; a spotsim that prints no operations says nothing of it."""
    found = copy.deepcopy(PREDICTED)
    found["clusters"][0]["gpu"]["operations"] = [
        {"time_ms": 4.0, "measured_ms": 0.0, "interpolated_ms": 1.0},
        {"time_ms": 6.0, "measured_ms": 6.0},
    ]
    assert compared(STEP, found, 0.08)["origin"] == {"measured": 0.6, "interpolated": 0.1}
    assert "60% was measured and 10% interpolated" in table(compared(STEP, found, 0.08))
    assert compared(STEP, PREDICTED, 0.08)["origin"] is None


def test_two_different_steps_are_refused() -> None:
    """A prediction of another batch says nothing of this one."""
    with pytest.raises(BadInputError, match="batch: 64 was measured and 128 predicted"):
        compared(
            STEP | {"batch": 64},
            PREDICTED | {"clusters": [PREDICTED["clusters"][0] | {"batch_per_gpu": 128}]},
            0.08,
        )
    with pytest.raises(BadInputError, match="no cluster"):
        compared(STEP, {"clusters": [{"gpu": None}]}, 0.08)


def test_two_calibrations_are_compared_kernel_by_kernel() -> None:
    """|101 - 100| / 100, |200 - 200| / 200 and |45 - 50| / 50; a fourth kernel is in one file only."""
    a = {("gemm", "1x1x1", "bf16"): 101.0, ("gemm", "2x2x2", "bf16"): 200.0, ("gelu", "3x3", "bf16"): 45.0}
    b = {("gemm", "1x1x1", "bf16"): 100.0, ("gemm", "2x2x2", "bf16"): 200.0, ("gelu", "3x3", "bf16"): 50.0}
    found = repeated(a | {("launch", "1", "none"): 2.0}, b)
    assert (found["kernels"], found["only_in_one"]) == (3, 1)
    assert found["median"] == pytest.approx(0.01)
    assert found["largest"] == pytest.approx(0.1)
    assert found["share_near"] == pytest.approx(2 / 3)
    assert [row["kernel"] for row in found["beyond"]] == ["gelu 3x3 bf16"]


def test_calibrations_without_a_common_kernel_are_refused() -> None:
    """Nothing would be within 2 %, and nothing beyond."""
    with pytest.raises(BadInputError, match="no kernel in common"):
        repeated({("launch", "1", "none"): 2.0}, {})


def test_the_interval_of_a_median_is_that_of_the_tables() -> None:
    """Of 30 values the 10th to the 21st, of 100 the 40th to the 61st, of 6 all (binomial tables)."""
    for n, low, high in [(30, 10, 21), (100, 40, 61), (6, 1, 6), (3, 1, 3)]:
        found = summary(range(1, n + 1))
        assert (found.interval_low, found.interval_high) == (low, high)
        assert found.median == statistics.median(range(1, n + 1))


def test_sensors_that_cannot_be_read_are_none() -> None:
    """As nvidia-smi prints in a virtual machine."""
    found = parse("1980, 3201, 312.45, [N/A], 41, 98")
    assert found["clock_mhz"] == 1980.0
    assert found["power_w"] == 312.45
    assert found["power_limit_w"] is None
