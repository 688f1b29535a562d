"""Commands of `check`: each within what is left of the time, and each in the log."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

_LEAST_S = 3.0
"""Seconds under which no command is begun."""
_LOG_MAX = 20_000
"""Characters of a command's output in the log, its end."""


@dataclass(frozen=True)
class Ran:
    """How a command ended; without an exit code it was not begun or did not end, and `why` says so."""

    command: str
    code: int | None
    seconds: float
    why: str = ""
    stdout: str = ""
    stderr: str = ""

    @property
    def end(self) -> str:
        """How it ended, in a word or two."""
        return self.why or f"exit code {self.code}"

    @property
    def fault(self) -> str:
        """Why it is no success, in a line."""
        last = [line for line in self.stderr.strip().splitlines() if line.strip()]
        errors = [line for line in last if line.startswith("error")]
        words = (errors or last or ["it said nothing"])[-1 if not errors else 0]
        return self.why or f"{self.end}: {words}"

    def kept(self) -> dict[str, Any]:
        """Return what a report keeps."""
        return {name: value for name, value in asdict(self).items() if name not in ("stdout", "stderr")}


@dataclass
class Runner:
    """Runs commands until the time is over."""

    log: Path
    limit_s: float
    clock: Callable[[], float] = time.monotonic
    ran: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start the time."""
        self._end = self.clock() + self.limit_s
        self.log.write_text("")

    def left_s(self) -> float:
        """Return the seconds that are left."""
        return self._end - self.clock()

    def run(self, command: Sequence[str], limit_s: float) -> Ran:
        """Run a command for at most so long, and at most for what is left."""
        begin = self.clock()
        limit = min(limit_s, self.left_s())
        text = " ".join(map(str, command))
        if limit < _LEAST_S:
            result = Ran(text, None, 0.0, "no time was left to begin it")
        else:
            result = self._run(list(map(str, command)), text, limit, begin)
        self.ran.append(result.kept())
        with self.log.open("a") as log:
            log.write(
                f"$ {text}\n{result.stderr[-_LOG_MAX:]}\n{result.stdout[-_LOG_MAX:]}\n[{result.end}]\n\n"
            )
        return result

    def _run(self, command: list[str], text: str, limit: float, begin: float) -> Ran:
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=limit, env=_environment()
            )
        except subprocess.TimeoutExpired as error:
            why = f"stopped after {limit:.0f} s"
            return Ran(text, None, self.clock() - begin, why, _words(error.stdout), _words(error.stderr))
        except OSError as error:
            return Ran(text, None, self.clock() - begin, f"does not start: {error.strerror}")
        return Ran(text, done.returncode, self.clock() - begin, "", done.stdout, done.stderr)


def python(module: str, *arguments: str) -> list[str]:
    """Return the command of another module of this package."""
    return [sys.executable, "-m", f"spotsim_calibrate.{module}", *arguments]


def _environment() -> dict[str, str]:
    """Return an environment in which this package and the CUDA libraries of this Python are found."""
    source = str(Path(__file__).parent.parent)
    path = os.pathsep.join(filter(None, (source, os.environ.get("PYTHONPATH"))))
    found = {**os.environ, "PYTHONPATH": path}
    if sys.prefix != sys.base_prefix:
        found.setdefault("VIRTUAL_ENV", sys.prefix)
    return found


def _words(output: bytes | str | None) -> str:
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""
