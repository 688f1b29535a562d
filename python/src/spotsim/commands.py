"""The commands of spotsim, called from Python."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spotsim import binary as programs
from spotsim import frames as tables
from spotsim import process, toml
from spotsim.errors import BY_EXIT_CODE, SpotsimError, SpotsimWarning
from spotsim.result import Result

Scenario = str | os.PathLike[str] | Mapping[str, Any]
"""A scenario: the path of its TOML file, or its tables as a dict."""

INTERRUPTED = 130
SCHEMA = 1
"""Of scenarios that say none: a dict need not have `schema`."""

MESSAGE = re.compile(r"^(?=warning:|note:|expectation missed:|error:)", re.MULTILINE)


def call(
    command: str,
    scenario: Scenario,
    *arguments: object,
    set: Mapping[str, Any] | None = None,
    folder: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    binary: str | os.PathLike[str] | None = None,
    frames: tables.Kind | None = None,
    **options: object,
) -> Result:
    """Run any command that takes a scenario: `call("break-even", FILE, KEY, from_="1 h", to="9 h")`.

    * `scenario`: a file, or a dict with the tables of one. Quantities carry units: `"24 h"`, `"25 GB/s"`.
    * `arguments`: what the command takes beside the scenario.
    * `set`: keys to change, as `--set` has them: `{"job.deadline": "12 h", "cluster.0.nodes": 8}`.
    * `folder`: where relative paths in a dict begin; a file's begin where the file is.
    * `out`: where to write; by default a temporary folder that goes when Python ends.
    * `binary`: the program; by default that of `$SPOTSIM`, of this install, or on the `PATH`.
    * `frames`: `"pandas"` or `"polars"`; by default whichever is installed, pandas first.
    * `options`: the program's own: `seed=7`, `replications=1000`, `threads=2`, `plots="svg"`,
      `method="morris"`, `resume=True`. `_` stands for `-`, and one at the end is dropped: `from_`. A list
      gives an option several times; `None` and `False` leave it out.

    Raises `SpotsimError` with the program's message and exit code: `BadInputError` (2),
    `ExpectationMissedError` (3), `NothingFinishedError` (4). What spotsim warns of comes as
    `SpotsimWarning`, and stands in the result. Ctrl-C ends the program, which keeps what is complete
    in `out`, and raises `KeyboardInterrupt`.
    """
    program = programs.find(binary)
    wanted = Path(out) if out is not None else _temporary()
    with _file(scenario, folder) as path:
        line = [program, command, str(path), *map(str, arguments), "--out", str(wanted)]
        for key, value in (set or {}).items():
            line += ["--set", f"{key}={toml.value(value, key)}"]
        line += [part for name, value in options.items() for part in _option(name, value)]
        ended = process.call(line)
    said = ended.err.strip()
    if ended.code in (0, 3, 4):
        pieces = (one.strip() for one in MESSAGE.split(said))
        heard = tuple(one for one in pieces if one and not one.startswith(("expectation missed:", "error:")))
        for one in heard:
            warnings.warn(one, SpotsimWarning, stacklevel=3)
        result = Result(tuple(line), wanted, ended.out, heard, frames)
        if ended.code == 0:
            return result
        said = said or f"spotsim {command}: no cluster of the scenario can do it, or none finished"
        raise BY_EXIT_CODE[ended.code](said, ended.code, result)
    if ended.code == INTERRUPTED:
        said = said or "interrupted"
    error = BY_EXIT_CODE.get(ended.code, SpotsimError)
    raise error(said or f"spotsim {command} ended with exit code {ended.code}", ended.code)


def run(scenario: Scenario, **options: Any) -> Result:
    """Simulate the clusters of a scenario side by side; options as in `call`.

    Frames: `clusters` (dollars and hours a cluster) and `replications` (one run each).
    """
    return call("run", scenario, **options)


def sweep(scenario: Scenario, **options: Any) -> Result:
    """Try all values under `[sweep]`; options as in `call`, and `resume`. Frames: `sweep`, `pareto`."""
    return call("sweep", scenario, **options)


def sensitivity(scenario: Scenario, **options: Any) -> Result:
    """Tell which keys under `[uncertain]` matter; options as in `call`, `method`, `samples`, `result`, ...

    Frames: `sensitivity` (shares of the variance), `points` (what was simulated).
    """
    return call("sensitivity", scenario, **options)


def plan(scenario: Scenario, **options: Any) -> Result:
    """Choose the cheapest that meets the deadline; options as in `call`, `deadline="9 h"`, `probability=0.9`.

    Frame: `candidates`.
    """
    return call("plan", scenario, **options)


def step(scenario: Scenario, **options: Any) -> Result:
    """Take one training step of each cluster apart; options as in `call`. Frame: `clusters`, in ms."""
    return call("step", scenario, **options)


def optimum(scenario: Scenario, **options: Any) -> Result:
    """Find the best interval between saves; options as in `call`. Frame: `clusters`, intervals in seconds."""
    return call("optimum", scenario, **options)


def policies(scenario: Scenario, **options: Any) -> Result:
    """Compare policies at several deadlines; options as in `call`. Frame: `policies`."""
    return call("policies", scenario, **options)


def timeline(scenario: Scenario, **options: Any) -> Result:
    """Show one replication; options as in `call`, `cluster="..."`, `replication=7` or `"median"`.

    `summary` is its `timeline.json`.
    """
    return call("timeline", scenario, **options)


def break_even(scenario: Scenario, key: str, **options: Any) -> Result:
    """Find the value of a key at which the answer turns; options as in `call`, and `from_` and `to`.

    Frame: `break-even`.
    """
    return call("break-even", scenario, key, **options)


def _option(name: str, value: object) -> list[str]:
    flag = f"--{name.rstrip('_').replace('_', '-')}"
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, list | tuple):
        return [part for one in value for part in _option(name, one)]
    # One word, so that a value with a minus is no option.
    return [f"{flag}={value}"]


@contextmanager
def _file(scenario: Scenario, folder: str | os.PathLike[str] | None) -> Iterator[Path]:
    """Give the scenario's file; that of a dict goes afterwards."""
    if not isinstance(scenario, Mapping):
        yield Path(scenario)
        return
    text = toml.document({"schema": SCHEMA, **scenario})
    stem = re.sub(r"[^\w.-]+", "-", str(scenario.get("name", "scenario"))).strip(".-") or "scenario"
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="spotsim-") as place:
            path = Path(place) / f"{stem}.toml"
            path.write_text(text, encoding="utf-8")
            yield path
        return
    handle, written = tempfile.mkstemp(prefix=f".{stem}-", suffix=".toml", dir=folder)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        yield Path(written)
    finally:
        Path(written).unlink(missing_ok=True)


def _temporary() -> Path:
    folder = tempfile.mkdtemp(prefix="spotsim-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
