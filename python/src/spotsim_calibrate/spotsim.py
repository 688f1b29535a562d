"""How spotsim is called: its options, and the scenario of one training step.

Everything that hangs on spotsim's command line is in this file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ANY_INSTANCE = "g5.xlarge"
"""Stands in where the catalogue has no instance with the device."""


@dataclass(frozen=True)
class Job:
    """The training step that is predicted and timed."""

    model: str
    batch: int
    precision: str
    optimizer: str = "adam"


def version(spotsim: str) -> list[str]:
    """Return the command that prints spotsim's version."""
    return [spotsim, "--version"]


def calibrate(  # one place for options that a newer spotsim may name otherwise
    spotsim: str, backend: str, models: Sequence[str], batch: int, number: str, out: Path
) -> list[str]:
    """Return the command that measures the kernels of these models' steps."""
    return [
        spotsim,
        "calibrate",
        *("--backend", backend),
        *("--model", ",".join(models)),
        *("--batch", str(batch)),
        *("--precision", number),
        *("--out", str(out)),
    ]


def catalogue(spotsim: str) -> list[str]:
    """Return the command that prints the instances of the catalogue."""
    return [spotsim, "catalog", "instances", "--format", "json"]


def step(spotsim: str, scenario: Path, out: Path) -> list[str]:
    """Return the command that predicts the step of a scenario."""
    return [spotsim, "step", str(scenario), "--format", "json", "--plots", "none", "--out", str(out)]


def scenario(job: Job, instance: str, calibration: Path | None, accept_class: bool) -> str:
    """Return a scenario of one node of an instance, with measured kernels if there is a file of them."""
    lines = [
        "# What does this training step take, predicted from its kernels?",
        "schema = 1",
        'name = "check"',
        "",
        "[job]",
        f"model = {json.dumps(job.model)}",
        f"precision = {json.dumps(job.precision)}",
        f"optimizer = {json.dumps(job.optimizer)}",
        f"batch_per_gpu = {job.batch}",
        'work = "1 M samples"',
        "",
    ]
    if calibration is not None:
        # Strings of JSON are strings of TOML too.
        lines += ["[compute]", f"calibration = {json.dumps(str(calibration))}"]
        lines += ["accept_class = true"] if accept_class else []
        lines += [""]
    lines += [
        "[[cluster]]",
        'name = "one node"',
        f"instance = {json.dumps(instance)}",
        "nodes = 1",
        'market = "on-demand"',
    ]
    return "\n".join(lines) + "\n"


def instance_with(device: str, instances: Sequence[dict[str, Any]]) -> str | None:
    """Return the smallest instance of the catalogue whose GPU is the device, by its driver's name.

    `NVIDIA A100-SXM4-80GB` has the words of `A100-SXM4-80GB`; `NVIDIA H200` only the first of
    `H200-SXM5-141GB`. The first word must be there, and the GPU with most of its words in the name wins.
    """
    words = set(device.replace("-", " ").upper().split())
    best: tuple[int, int, str] | None = None
    for instance in instances:
        parts = str(instance["gpu"]).upper().split("-")
        if parts[0] not in words:
            continue
        rank = (-len(words.intersection(parts)), int(instance["gpus"]), str(instance["name"]))
        best = rank if best is None else min(best, rank)
    return None if best is None else best[2]
