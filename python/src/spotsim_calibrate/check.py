"""`python -m spotsim_calibrate.check`: every check of a calibration that needs a GPU, in one command.

What fails is reported and the next item goes on. The most telling items come first: the time may run out.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spotsim_calibrate import spotsim
from spotsim_calibrate.command import leave, read_json
from spotsim_calibrate.compare import compared, table
from spotsim_calibrate.errors import FAILED as CODE_FAILED
from spotsim_calibrate.errors import MISSED as CODE_MISSED
from spotsim_calibrate.errors import BadInputError
from spotsim_calibrate.repeat import NEAR, read_calibration, repeated, times_us
from spotsim_calibrate.report import FAILED, MISSED, PASSED, RAN, Item, Report
from spotsim_calibrate.runner import Ran, Runner, python
from spotsim_calibrate.vit import shape_of

REPEAT_SHARE = 0.95
"""Share of the kernels that must come out alike in two calibrations."""
GEMM_RATIO = 0.95
"""Share of PyTorch's rate of a product that spotsim's measurement must reach."""
LIMIT_S = 530.0


@dataclass(frozen=True)
class Plan:
    """What is measured, and how long it may take."""

    device: str
    backend: str
    tolerances: dict[str, float]
    """Models, and by which share of the measured step a prediction may be off."""
    batch: int
    number: str
    precision: str
    gemm_model: str
    step_options: tuple[str, ...]
    gemm_options: tuple[str, ...]
    calibrate_s: float
    step_s: float
    judged: bool = True

    @property
    def gemm(self) -> tuple[int, int, int]:
        """The first layer of the MLP of a model: m, n, k."""
        shape = shape_of(self.gemm_model)
        return self.batch * shape.tokens, 4 * shape.width, shape.width


FULL = Plan(
    device="cuda",
    backend="cuda",
    tolerances={"vit_base_patch16_224": 0.08, "vit_small_patch16_224": 0.10, "vit_large_patch16_224": 0.10},
    batch=128,
    number="bf16",
    precision="amp-bf16",
    gemm_model="vit_base_patch16_224",
    step_options=("--steps", "60", "--warm-up-s", "6"),
    gemm_options=("--repeats", "50", "--warm-up-s", "2"),
    calibrate_s=180.0,
    step_s=75.0,
)
QUICK = replace(
    FULL,
    tolerances={"vit_base_patch16_224": 0.08},
    step_options=("--steps", "30", "--warm-up-s", "2"),
    gemm_options=("--repeats", "20", "--warm-up-s", "1"),
)
DRY = Plan(
    device="cpu",
    backend="cpu",
    tolerances={"vit_tiny_patch16_224": 0.08},
    batch=2,
    number="fp32",
    precision="fp32",
    gemm_model="vit_tiny_patch16_224",
    step_options=("--steps", "3", "--warm-up", "1", "--warm-up-s", "0"),
    gemm_options=("--repeats", "5", "--warm-up-s", "0"),
    calibrate_s=180.0,
    step_s=120.0,
    judged=False,
)


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    given = _parser().parse_args(arguments)
    plan = DRY if given.dry_run else QUICK if given.quick else FULL
    if given.device is not None:
        plan = replace(plan, device=given.device)
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        report = Check(plan, given.spotsim, given.out.absolute(), Path(scratch), given.limit).all()
    print(report.text())
    outcomes = {item.outcome for item in report.items}
    return CODE_FAILED if FAILED in outcomes else CODE_MISSED if MISSED in outcomes else 0


class Check:
    """The items, in the order of what they tell."""

    def __init__(self, plan: Plan, program: str, out: Path, scratch: Path, limit_s: float) -> None:
        """Take what to measure, spotsim, the folder of the answer, one for what is not kept, and the time."""
        found = Path(program)
        self._spotsim = str(found.absolute()) if found.exists() else program
        self._plan, self._out, self._scratch = plan, out, scratch
        self._runner = Runner(out / "log.txt", limit_s)
        kind = "" if plan.judged else ", dry run on the CPU: nothing is judged"
        self._report = Report(out, f"spotsim calibrate against PyTorch{kind}")
        self._report.data = {
            "versions": {},
            "commands": self._runner.ran,
            "steps": {},
            "predicted": {},
            "comparisons": {},
        }

    def all(self) -> Report:
        """Go through every item."""
        models = list(self._plan.tolerances)
        named = self._runner.run(spotsim.version(self._spotsim), 20)
        self._data("versions")["spotsim"] = named.stdout.strip() if named.code == 0 else named.fault
        self._item("first calibration", "ends with a file", lambda: self._calibrate("a.toml"))
        self._item(*self._step_item(models[0]))
        self._item("matrix product", f"at least {GEMM_RATIO:.0%} of PyTorch's rate", self._gemm)
        self._item("second calibration", "ends with a file", lambda: self._calibrate("b.toml"))
        must = f"{REPEAT_SHARE:.0%} of the kernels within {NEAR:.0%}"
        self._item("two calibrations alike", must, self._repeat)
        for model in models[1:]:
            self._item(*self._step_item(model))
        return self._report

    def _step_item(self, model: str) -> tuple[str, str, Callable[[], Item]]:
        tolerance = self._plan.tolerances[model]
        return (
            f"step of {model}",
            f"predicted from kernels within {tolerance:.0%}",
            lambda: self._step(model, tolerance),
        )

    def _item(self, name: str, must: str, work: Callable[[], Item]) -> None:
        """Do one item; whatever goes wrong in it, the next one goes on."""
        try:
            item = work()
        except Exception as error:  # a machine that is lent for minutes is not given back over one item
            said = str(error) if isinstance(error, BadInputError) else f"{type(error).__name__}: {error}"
            item = Item("", "", FAILED, said)
        if item.outcome in (PASSED, MISSED) and not self._plan.judged:
            item.outcome = RAN
        item.name, item.must = name, must
        self._report.add(item)
        print(f"{item.outcome}: {name}: {item.detail}", file=sys.stderr, flush=True)

    def _calibrate(self, file: str) -> Item:
        plan, path = self._plan, self._out / file
        path.unlink(missing_ok=True)  # that of an earlier check would pass for this one's
        models = list(plan.tolerances)
        command = spotsim.calibrate(self._spotsim, plan.backend, models, plan.batch, plan.number, path)
        ran = self._succeed(command, plan.calibrate_s)
        found = read_calibration(path)
        self._data("versions")[file] = {name: value for name, value in found.items() if name != "kernel"}
        count = len(times_us(found))
        return Item("", "", PASSED, f"{count} kernels of {found.get('device')} in {ran.seconds:.0f} s")

    def _repeat(self) -> Item:
        a, b = (times_us(read_calibration(self._out / file)) for file in ("a.toml", "b.toml"))
        found = repeated(a, b)
        self._report.data["repeat"] = found
        detail = (
            f"{found['share_near']:.1%} of {found['kernels']} within {NEAR:.0%}; "
            f"median {found['median']:.2%}, largest {found['largest']:.2%}"
        )
        lines = [f"{row['difference']:8.2%}  {row['kernel']}" for row in found["beyond"]]
        return Item("", "", _judged(found["share_near"] >= REPEAT_SHARE), detail, "\n".join(lines))

    def _gemm(self) -> Item:
        plan, path = self._plan, self._scratch / "gemm.json"
        m, n, k = plan.gemm
        sizes = ("--m", str(m), "--n", str(n), "--k", str(k), "--precision", plan.number)
        self._succeed(
            python("gemm", *sizes, "--device", plan.device, "--out", str(path), *plan.gemm_options),
            plan.step_s,
        )
        theirs = read_json(path, "gemm")
        self._report.data["gemm"] = theirs
        shape = f"{m}x{n}x{k}"
        ours_us = times_us(read_calibration(self._out / "a.toml")).get(("gemm", shape, plan.number))
        if ours_us is None:
            raise BadInputError(f"a.toml has no kernel gemm {shape} {plan.number}")
        rate = 2.0 * m * n * k / ours_us * 1e-6
        ratio = rate / theirs["plain"]["tflop_per_s"]
        plain, biased = (theirs[name]["tflop_per_s"] for name in ("plain", "with_bias"))
        detail = (
            f"{shape} {plan.number}: {ratio:.3f} of PyTorch's rate, {rate:.1f} against {plain:.1f} TFLOP/s "
            f"({biased:.1f} with bias)"
        )
        return Item("", "", _judged(ratio >= GEMM_RATIO), detail)

    def _step(self, model: str, tolerance: float) -> Item:
        plan, path = self._plan, self._scratch / f"{model}.json"
        what = ("--model", model, "--batch", str(plan.batch), "--precision", plan.precision)
        self._succeed(
            python("step", *what, "--device", plan.device, "--out", str(path), *plan.step_options),
            plan.step_s,
        )
        step = read_json(path, "step")
        self._data("steps")[model] = step
        self._data("versions")["PyTorch"] = {**step["versions"], "device": step["device"]}
        self._data("versions")[f"sensors {model}"] = step["sensors"]
        job = spotsim.Job(model, plan.batch, plan.precision)
        instance = self._instance(step["device"])
        plain = compared(step, self._predict(job, instance, None), tolerance)
        self._data("comparisons")[model] = {"catalogue": plain}
        file = self._out / "a.toml"
        if not file.exists():
            raise BadInputError(
                "no calibration file to predict from; from the catalogue alone the step is "
                f"{plain['difference']:+.1%} off"
            )
        predicted = self._predict(job, instance, file)
        found = compared(step, predicted, tolerance)
        self._data("predicted")[model] = predicted["clusters"]
        self._data("comparisons")[model]["calibrated"] = found
        detail = (
            f"{found['difference']:+.1%}: {found['whole']['predicted_ms']:.2f} ms predicted, "
            f"{found['whole']['measured_ms']:.2f} ms measured; "
            f"from the catalogue alone {plain['difference']:+.1%}"
        )
        return Item("", "", _judged(found["within"]), detail, table(found))

    def _instance(self, device: str) -> str:
        ran = self._succeed(spotsim.catalogue(self._spotsim), 30)
        return spotsim.instance_with(device, json.loads(ran.stdout)["instances"]) or spotsim.ANY_INSTANCE

    def _predict(self, job: spotsim.Job, instance: str, calibration: Path | None) -> dict[str, Any]:
        """Predict a step; a file that spotsim refuses for its device or class is tried with its consent."""
        scenario = self._scratch / "scenario.toml"
        ran = None
        for accept_class in (False, True):
            scenario.write_text(spotsim.scenario(job, instance, calibration, accept_class))
            ran = self._runner.run(spotsim.step(self._spotsim, scenario, self._scratch / "out"), 30)
            if ran.code == 0:
                self._data("versions")["scenario"] = {"instance": instance, "accept_class": accept_class}
                return dict(json.loads(ran.stdout))
            if calibration is None:
                break
        raise BadInputError(f"spotsim step failed: {ran.fault if ran is not None else ''}")

    def _succeed(self, command: list[str], limit_s: float) -> Ran:
        ran = self._runner.run(command, limit_s)
        if ran.code != 0:
            raise BadInputError(f"`{ran.command}`: {ran.fault}")
        return ran

    def _data(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self._report.data[name]
        return found


def _judged(good: bool) -> str:
    return PASSED if good else MISSED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="spotsim_calibrate.check",
        description="Hold spotsim's calibration against PyTorch on this machine's GPU.",
        epilog="Exit code 0: all as it must be; 3: something is not; 1: something could not be run.",
    )
    add = parser.add_argument
    add("--spotsim", default="spotsim", metavar="PATH", help="the program, by default `spotsim`")
    add("--out", type=Path, required=True, metavar="FOLDER", help="folder of report and calibration files")
    add("--device", choices=("cuda", "cpu"), help="where PyTorch computes, by default cuda")
    add("--quick", action="store_true", help="ViT-B/16 alone, shorter")
    add(
        "--dry-run", action="store_true", help="the whole way on the CPU with a tiny model; nothing is judged"
    )
    add(
        "--limit", type=float, default=LIMIT_S, metavar="S", help=f"seconds for all, by default {LIMIT_S:.0f}"
    )
    return parser


if __name__ == "__main__":
    leave(main)
