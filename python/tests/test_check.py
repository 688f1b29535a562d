"""`check` from end to end with stand-ins for spotsim and PyTorch, and what it asks of the real spotsim."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from spotsim_calibrate import check
from spotsim_calibrate import spotsim as calls
from spotsim_calibrate.check import DRY, FULL, Check
from spotsim_calibrate.report import Report
from spotsim_calibrate.runner import Runner

HERE = Path(__file__).parent
# 100 us for 394 x 768 x 192 is 1.162 TFLOP/s: 0.97 of 1.2.
GEMM = {"kind": "gemm", "plain": {"tflop_per_s": 1.2}, "with_bias": {"tflop_per_s": 1.1}}
PLAN = replace(DRY, precision="amp-bf16", judged=True)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay out stand-ins for spotsim and for what PyTorch times."""
    program = tmp_path / "spotsim"
    program.write_text(f"#!{sys.executable}\n{(HERE / 'fake_calibrator.py').read_text()}")
    program.chmod(0o755)
    shutil.copy(HERE / "step.json", tmp_path)
    (tmp_path / "gemm.json").write_text(json.dumps(GEMM))

    def recorded(module: str, *arguments: str) -> list[str]:
        return ["cp", str(tmp_path / f"{module}.json"), arguments[arguments.index("--out") + 1]]

    monkeypatch.setattr(check, "python", recorded)
    return program


def go(fake: Path, limit_s: float = 60.0) -> Report:
    """Do every item."""
    out, scratch = fake.parent / "out", fake.parent / "scratch"
    for folder in (out, scratch):
        folder.mkdir()
    return Check(PLAN, str(fake), out, scratch, limit_s).all()


def outcomes(report: Report) -> dict[str, str]:
    """Return how each item ended."""
    return {item.name: item.outcome for item in report.items}


def test_everything_that_must_be_shown_is_shown(fake: Path) -> None:
    """The stand-ins agree: the step exactly, the two calibrations within 1 %, the product at 0.97."""
    report = go(fake)
    assert outcomes(report) == {
        "first calibration": "pass",
        "step of vit_tiny_patch16_224": "pass",
        "matrix product": "pass",
        "second calibration": "pass",
        "two calibrations alike": "pass",
    }
    assert "0.968 of PyTorch's rate" in report.text()
    assert "from the catalogue alone +10.0%" in report.text()


def test_few_files_come_back(fake: Path) -> None:
    """A lent machine hands back eight at most."""
    go(fake)
    found = sorted(path.name for path in (fake.parent / "out").iterdir())
    assert found == ["a.toml", "b.toml", "log.txt", "report.json", "report.md"]


def test_what_fails_stops_nothing_else(fake: Path) -> None:
    """Without a calibration the step is still timed, and held against the catalogue's prediction."""
    (fake.parent / "broken").touch()
    report = go(fake)
    assert set(outcomes(report).values()) == {"FAILED TO RUN"}
    assert len(report.items) == 5
    details = {item.name: item.detail for item in report.items}
    assert "exit code 2: error: no such backend" in details["first calibration"]
    assert "from the catalogue alone the step is +10.0% off" in details["step of vit_tiny_patch16_224"]


def test_a_calibration_of_an_earlier_check_is_not_taken(fake: Path) -> None:
    """Its kernels may be of another program or another machine."""
    go(fake)
    (fake.parent / "broken").touch()
    out, scratch = fake.parent / "out", fake.parent / "scratch"
    report = Check(PLAN, str(fake), out, scratch, 60.0).all()
    assert not (out / "a.toml").exists()
    assert outcomes(report)["matrix product"] == "FAILED TO RUN"


def test_no_command_is_begun_without_time(fake: Path) -> None:
    """The report says so, item by item."""
    report = go(fake, limit_s=0.0)
    assert set(outcomes(report).values()) == {"FAILED TO RUN"}
    assert "no time was left" in report.items[0].detail


def test_what_a_stopped_command_had_said_is_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python hands it back as bytes."""

    def stopped(command: list[str], timeout: float, **_: object) -> None:
        raise subprocess.TimeoutExpired(command, timeout, output=b"begun", stderr=None)

    monkeypatch.setattr(subprocess, "run", stopped)
    runner = Runner(tmp_path / "log.txt", 60.0)
    ran = runner.run(["calibrate"], 20.0)
    assert (ran.code, ran.fault) == (None, "stopped after 20 s")
    assert "begun" in (tmp_path / "log.txt").read_text()


def test_the_full_plan_is_that_of_a_lent_gpu() -> None:
    """Less than nine minutes; and the product is the first of the MLP of ViT-B/16, 128 x 197 tokens."""
    assert check.LIMIT_S < 9 * 60
    assert FULL.gemm == (25216, 3072, 768)


def test_instances_are_found_by_the_driver_s_name_of_the_gpu() -> None:
    """Names of nvidia-smi and of the catalogue differ in what they add."""
    instances = [
        {"name": "p5en.48xlarge", "gpu": "H200-SXM5-141GB", "gpus": 8},
        {"name": "p4d.24xlarge", "gpu": "A100-SXM4-40GB", "gpus": 8},
        {"name": "a2-ultragpu-1g", "gpu": "A100-SXM4-80GB", "gpus": 1},
        {"name": "a2-highgpu-1g", "gpu": "A100-SXM4-40GB", "gpus": 1},
        {"name": "g5.12xlarge", "gpu": "A10G", "gpus": 4},
        {"name": "g5.xlarge", "gpu": "A10G", "gpus": 1},
    ]
    for device, right in [
        ("NVIDIA H200", "p5en.48xlarge"),
        ("NVIDIA A100-SXM4-80GB", "a2-ultragpu-1g"),
        ("NVIDIA A100-SXM4-40GB", "a2-highgpu-1g"),
        ("NVIDIA A10G", "g5.xlarge"),
        ("cpu", None),
    ]:
        assert calls.instance_with(device, instances) == right


def test_the_real_spotsim_takes_the_scenario(spotsim_program: Path, tmp_path: Path) -> None:
    """And prints the keys that a comparison reads."""
    scenario = tmp_path / "scenario.toml"
    job = calls.Job("vit_base_patch16_224", 128, "amp-bf16")
    scenario.write_text(calls.scenario(job, "p5en.48xlarge", None, False))
    command = calls.step(str(spotsim_program), scenario, tmp_path / "out")
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    cluster = answer["clusters"][0]
    assert (cluster["model"], cluster["batch_per_gpu"]) == ("vit_base_patch16_224", 128)
    assert {"forward_ms", "backward_ms", "optimizer_ms", "groups", "launch_bound"} <= set(cluster["gpu"])
