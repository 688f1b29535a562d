"""`python -m spotsim_calibrate.gemm`: what PyTorch reaches on one matrix product, as a linear layer."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spotsim_calibrate import late, sensors
from spotsim_calibrate.command import leave, write_json
from spotsim_calibrate.errors import BadInputError
from spotsim_calibrate.stats import summary
from spotsim_calibrate.timing import Timer
from spotsim_calibrate.training import set_precision

NUMBERS = ("bf16", "fp16", "tf32", "fp32")
_INNER = 10
"""Products between two events, so that the events weigh little."""


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    given = _parser().parse_args(arguments)
    result = measure(given)
    if given.out is not None:
        write_json(result, given.out)
    for name in ("plain", "with_bias"):
        found = result[name]
        print(f"{name}: {found['median_us']:.2f} us, {found['tflop_per_s']:.1f} TFLOP/s", file=sys.stderr)
    return 0


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Time x @ W.T of the sizes that the command line has, without and with a bias."""
    torch = late.torch()
    on_device = given.device != "cpu"
    if on_device and not torch.cuda.is_available():
        raise BadInputError(f"--device {given.device}: PyTorch {torch.__version__} finds no GPU here")
    set_precision(torch, given.precision)
    torch.manual_seed(0)
    kind = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(given.precision, torch.float32)
    x, weight, bias = (
        torch.randn(shape, device=given.device).to(kind)
        for shape in ((given.m, given.k), (given.n, given.k), (given.n,))
    )
    timer = Timer(torch, given.device)
    result: dict[str, Any] = {
        "schema": 1,
        "kind": "gemm",
        "m": given.m,
        "n": given.n,
        "k": given.k,
        "precision": given.precision,
        "device": torch.cuda.get_device_name() if on_device else "cpu",
        "timer": timer.name,
    }
    sensed = None
    with torch.no_grad():
        for name, added in (("plain", None), ("with_bias", bias)):

            def work(added: Any = added) -> None:
                torch.nn.functional.linear(x, weight, added)

            timer.warm_up(work, 3, given.warm_up_s, _INNER)
            times_us = [1e3 * time for time in timer.each_ms(work, given.repeats, _INNER)]
            sensed = sensors.under_load(work) if on_device else None
            timer.wait()
            found = summary(times_us)
            rate = 2.0 * given.m * given.n * given.k / found.median * 1e-6
            result[name] = {**found.named("us"), "tflop_per_s": rate}
    return result | {"sensors": sensed, "versions": sensors.versions(torch, None, given.device)}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="spotsim_calibrate.gemm", description="Time a linear layer in PyTorch."
    )
    add = parser.add_argument
    add("--m", type=int, default=25216, help="rows of x: samples x tokens")
    add("--n", type=int, default=3072, help="outputs")
    add("--k", type=int, default=768, help="inputs")
    add("--precision", choices=NUMBERS, default="bf16")
    add("--device", choices=("cuda", "cpu"), default="cuda")
    add("--repeats", type=int, default=50, help="timings, by default 50")
    add("--warm-up-s", type=float, default=2.0, help="seconds of products before them")
    add("--out", type=Path, help="the JSON file")
    return parser


if __name__ == "__main__":
    leave(main)
