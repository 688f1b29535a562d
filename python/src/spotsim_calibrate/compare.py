"""`python -m spotsim_calibrate.compare`: a step predicted by spotsim beside the one that PyTorch took."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spotsim_calibrate.command import leave, read_json, write_json
from spotsim_calibrate.errors import MISSED, BadInputError
from spotsim_calibrate.groups import GROUPS

TOLERANCE = 0.08


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    given = _parser().parse_args(arguments)
    found = compared(read_json(given.step, "step"), read_json(given.predicted), given.tolerance)
    print(table(found))
    if given.out is not None:
        write_json(found, given.out)
    return 0 if found["within"] else MISSED


def compared(step: dict[str, Any], predicted: dict[str, Any], tolerance: float) -> dict[str, Any]:
    """Return both steps by group; `step` is that of this package, `predicted` that of `spotsim step`.

    Predicted is what the GPU computes: forward, backward and the update, without the copy from the host.
    Measured groups are kernel times of the profiled steps; what the whole step took beyond them is the gaps.
    """
    cluster = _cluster(predicted)
    _same(step, cluster)
    gpu, profile = cluster["gpu"], step["profile"]
    whole = gpu["forward_ms"] + gpu["backward_ms"] + gpu["optimizer_ms"]
    measured = step["step"]["median_ms"]
    theirs = {group["name"]: group["time_ms"] for group in gpu["groups"]}
    ours = {group["name"]: group["time_ms"] for group in profile["groups"]}
    names = [*GROUPS, *sorted(set(theirs) - set(GROUPS))]
    rows = [
        _row(name, theirs.get(name), ours.get(name), measured)
        for name in names
        if {name} & (set(theirs) | set(ours))
    ]
    kernels = sum(theirs.values())
    passes = {row["name"]: row["time_ms"] for row in profile["passes"]}
    difference = whole / measured - 1.0
    return {
        "schema": 1,
        "kind": "comparison",
        "model": step["model"],
        "batch": step["batch"],
        "precision": step["precision"],
        "device": step["device"],
        "calibration": cluster.get("calibration"),
        "origin": _origin(gpu.get("operations")),
        "launch_bound": gpu["launch_bound"],
        "measured_of": profile["of"],
        "groups": rows,
        "kernels": _row("all kernels", kernels, profile["total_ms"], measured),
        "gaps": _row("beyond kernels", whole - kernels, measured - profile["total_ms"], measured),
        "passes": [
            _row(name, gpu[f"{name}_ms"], passes.get(name), measured)
            for name in ("forward", "backward", "optimizer")
        ],
        "whole": _row("whole step", whole, measured, measured),
        "difference": difference,
        "tolerance": tolerance,
        "within": abs(difference) <= tolerance,
    }


def table(found: dict[str, Any]) -> str:
    """Return a comparison as text."""
    calibration = found["calibration"]
    file = calibration.get("file") if isinstance(calibration, dict) else calibration
    lines = [
        f"{found['model']}, batch {found['batch']}, {found['precision']} on {found['device']}; "
        f"predicted from {file or 'the catalogue'}",
        f"{'':<20} {'predicted':>12} {'measured':>12} {'difference':>11} {'of step':>8}",
    ]
    lines += [_line(row) for row in found["groups"]]
    lines += [_line(found["kernels"]), _line(found["gaps"]), _line(found["whole"])]
    verdict = "within" if found["within"] else "beyond"
    lines.append(
        f"The predicted step is {found['difference']:+.1%} off, {verdict} {found['tolerance']:.0%} tolerance."
    )
    if found["origin"] is not None:
        lines.append(
            "Of the predicted time {measured:.0%} was measured and {interpolated:.0%} interpolated.".format(
                **found["origin"]
            )
        )
    if found["launch_bound"]:
        lines.append("spotsim takes the step as bound by launches: its groups sum to less than the step.")
    return "\n".join(lines)


def _cluster(predicted: dict[str, Any]) -> dict[str, Any]:
    """Return the first cluster that has the operations of a GPU."""
    for cluster in predicted.get("clusters", []):
        if isinstance(cluster, dict) and isinstance(cluster.get("gpu"), dict):
            return cluster
    raise BadInputError("the prediction has no cluster with `gpu`: it is not of `spotsim step --format json`")


def _origin(operations: list[dict[str, Any]] | None) -> dict[str, float] | None:
    """Return which shares of the predicted time are of measured kernels, and between measured sizes."""
    total = sum(operation["time_ms"] for operation in operations or ())
    if not operations or total <= 0.0:
        return None
    sums = {
        name: sum(operation.get(f"{name}_ms") or 0.0 for operation in operations)
        for name in ("measured", "interpolated")
    }
    return {name: value / total for name, value in sums.items()}


def _same(step: dict[str, Any], cluster: dict[str, Any]) -> None:
    """Refuse to compare two different steps."""
    for ours, theirs in (("model", "model"), ("batch", "batch_per_gpu"), ("precision", "precision")):
        if step[ours] != cluster[theirs]:
            raise BadInputError(f"{ours}: {step[ours]} was measured and {cluster[theirs]} predicted")


def _row(name: str, predicted: float | None, measured: float | None, step_ms: float) -> dict[str, Any]:
    """Return one line; a time that one side lacks is 0, and without both there is no relative difference."""
    predicted, measured = predicted or 0.0, measured or 0.0
    return {
        "name": name,
        "predicted_ms": predicted,
        "measured_ms": measured,
        "difference": predicted / measured - 1.0 if predicted and measured > 0.0 else None,
        "share": measured / step_ms,
    }


def _line(row: dict[str, Any]) -> str:
    difference = "-" if row["difference"] is None else f"{row['difference']:+.1%}"
    return (
        f"{row['name']:<20} {row['predicted_ms']:9.3f} ms {row['measured_ms']:9.3f} ms "
        f"{difference:>11} {row['share']:>8.1%}"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="spotsim_calibrate.compare",
        description="Compare a predicted step with a measured one.",
        epilog=f"Exit code {MISSED} if the whole step is off by more than the tolerance.",
    )
    add = parser.add_argument
    add("--step", type=Path, required=True, help="what spotsim_calibrate.step wrote")
    add("--predicted", type=Path, required=True, help="what `spotsim step FILE --format json` printed")
    add(
        "--tolerance",
        type=float,
        default=TOLERANCE,
        help=f"share of the measured step, by default {TOLERANCE}",
    )
    add("--out", type=Path, help="the comparison as JSON")
    return parser


if __name__ == "__main__":
    leave(main)
