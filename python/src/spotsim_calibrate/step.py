"""`python -m spotsim_calibrate.step`: time a training step in PyTorch, and share it out by group."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spotsim_calibrate import late, sensors
from spotsim_calibrate.command import leave, write_json
from spotsim_calibrate.errors import BadInputError
from spotsim_calibrate.groups import OTHER
from spotsim_calibrate.profile import attention_run, shared_out, timed_launches
from spotsim_calibrate.stats import summary
from spotsim_calibrate.timing import Timer
from spotsim_calibrate.training import OPTIMIZERS, PRECISIONS, Training, training
from spotsim_calibrate.vit import build, shape_of

STEPS_MIN = 30
"""Steps on a GPU: fewer say little of a median. A CPU may time fewer."""
_PROFILED = 3


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    given = _parser().parse_args(arguments)
    result = measure(given)
    write_json(result, given.out)
    print(_text(result), file=sys.stderr)
    return 0


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Time the step that the command line asks for."""
    on_device = given.device != "cpu"
    if on_device and given.steps < STEPS_MIN:
        raise BadInputError(f"--steps {given.steps}: at least {STEPS_MIN} on a GPU")
    shape = shape_of(given.model)
    torch, timm = late.torch(), late.timm()
    if on_device and not torch.cuda.is_available():
        raise BadInputError(f"--device {given.device}: PyTorch {torch.__version__} finds no GPU here")
    torch.manual_seed(0)
    model, implementation = build(given.model, torch, timm)
    job = training(torch, model, shape.image, given.batch, given.precision, given.optimizer, given.device)
    timer = Timer(torch, given.device)

    if on_device:
        torch.cuda.reset_peak_memory_stats()
    timer.warm_up(job.step, given.warm_up, given.warm_up_s)
    before = sensors.under_load(job.step) if on_device else None
    timer.wait()
    times = timer.each_ms(job.step, given.steps)
    after = sensors.under_load(job.step) if on_device else None
    timer.wait()
    peak = torch.cuda.max_memory_allocated() if on_device else None

    found = summary(times)
    profile, attention = _profiled(job, on_device)
    return {
        "schema": 1,
        "kind": "step",
        "model": given.model,
        "implementation": implementation,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "batch": given.batch,
        "precision": given.precision,
        "optimizer": given.optimizer,
        "device": torch.cuda.get_device_name() if on_device else "cpu",
        "timer": timer.name,
        "step": {
            **found.named("ms"),
            "samples_per_s": given.batch / found.median * 1e3,
            "times_ms": [round(time, 4) for time in times],
        },
        "host_copy": _host_copy(torch, timer, job.images, given.device) if on_device else None,
        "peak_memory_bytes": peak,
        "sensors": {"before": before, "after": after},
        "versions": sensors.versions(torch, timm, given.device),
        "attention": attention,
        "profile": profile,
    }


def _profiled(job: Training, on_device: bool) -> tuple[dict[str, Any], dict[str, str | None]]:
    """Profile a few steps of their own; the timed ones run without the profiler."""
    profiler = job.torch.profiler
    activities = [profiler.ProfilerActivity.CPU]
    if on_device:
        activities.append(profiler.ProfilerActivity.CUDA)
    with job.named():
        job.step()
        with profiler.profile(activities=activities, record_shapes=True) as run:
            for _ in range(_PROFILED):
                job.step()
            if on_device:
                job.torch.cuda.synchronize()
    launches = timed_launches(run.events(), on_device)
    if not launches:
        raise BadInputError(
            "the profiler saw no kernel: is another tool using CUPTI, or is it not allowed here?"
        )
    shapes = {tuple(parameter.shape) for parameter in job.model.parameters()}
    return {
        "of": "kernels" if on_device else "operators",
        **shared_out(launches, shapes, _PROFILED),
    }, attention_run(launches)


def _host_copy(torch: Any, timer: Timer, images: Any, device: str) -> dict[str, Any]:
    """Time the copy of one fp32 batch, from pageable and from pinned memory."""
    pageable = torch.randn(images.shape)
    found: dict[str, Any] = {"bytes": pageable.numel() * 4}
    for name, source in (("pageable_ms", pageable), ("pinned_ms", pageable.pin_memory())):

        def copy(source: Any = source) -> None:
            images.copy_(source, non_blocking=True)

        timer.warm_up(copy, 3, 0.0)
        found[name] = summary(timer.each_ms(copy, 11)).median
    return found


def _text(result: dict[str, Any]) -> str:
    step, profile = result["step"], result["profile"]
    lines = [
        f"{result['model']} ({result['implementation']}), batch {result['batch']}, {result['precision']}, "
        f"{result['optimizer']} on {result['device']}",
        f"step {step['median_ms']:.3f} ms, 95 % interval {step['interval_low_ms']:.3f} to "
        f"{step['interval_high_ms']:.3f} ms, n = {step['n']}; {step['samples_per_s']:.1f} samples/s",
        f"{profile['of']} {profile['total_ms']:.3f} ms",
    ]
    lines += [f"  {group['name']:<20} {group['time_ms']:10.3f} ms" for group in profile["groups"]]
    others = [row for row in profile["rows"] if row["group"] == OTHER][:5]
    lines += [f"    other: {row['op'] or row['kernel']} {row['time_ms']:.3f} ms" for row in others]
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="spotsim_calibrate.step", description="Time a training step in PyTorch."
    )
    add = parser.add_argument
    add("--model", default="vit_base_patch16_224", help="as timm names it")
    add("--batch", type=int, default=128, help="samples a step")
    add("--precision", choices=PRECISIONS, default="amp-bf16")
    add("--optimizer", choices=OPTIMIZERS, default="adam", help="with its default arguments")
    add("--device", choices=("cuda", "cpu"), default="cuda")
    add("--steps", type=int, default=60, help="steps that are timed, by default 60")
    add("--warm-up", type=int, default=10, help="steps before them, at least")
    add("--warm-up-s", type=float, default=5.0, help="seconds of steps before them, at least")
    add("--out", type=Path, required=True, help="the JSON file")
    return parser


if __name__ == "__main__":
    leave(main)
