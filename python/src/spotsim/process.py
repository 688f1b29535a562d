"""The program started, heard out, and ended with Python's Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from spotsim.errors import NotFoundError

PATIENCE_S = 30.0
"""How long an interrupted program may take to write what is complete, in seconds."""


@dataclass(frozen=True)
class Ended:
    """What a program left: its exit code (negative: the signal that ended it), stdout and stderr."""

    code: int
    out: str
    err: str


def call(command: Sequence[str]) -> Ended:
    """Run a command to its end. Ctrl-C interrupts it once, lets it write, and is raised again."""
    try:
        # A session of its own: else the terminal's Ctrl-C reaches it beside ours, and a second one ends it.
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
            env={**os.environ, "NO_COLOR": "1"},
        )
    except OSError as error:
        raise NotFoundError(f"{command[0]} does not start: {error.strerror}") from error
    with child:
        try:
            out, err = child.communicate()
        except BaseException:
            _interrupt(child)
            raise
    return Ended(child.returncode, out, err)


def _interrupt(child: subprocess.Popen[str]) -> None:
    try:
        child.send_signal(signal.SIGINT)
        # Its pipes are read on, so that it does not wait for us.
        child.communicate(timeout=PATIENCE_S)
    except BaseException:  # it hangs, or Ctrl-C came again
        child.kill()
        child.wait()
        raise
