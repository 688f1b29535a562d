"""Progress on stderr: one line rewritten on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True)
class Progress:
    """Where a drive stands, and what just happened."""

    total: int
    done: int
    retried: int
    failed: int
    event: str
    """A sentence without its full stop."""
    notable: bool = False
    """Worth a line of its own even on a terminal: a retry, a failure."""

    def __str__(self) -> str:
        """Return the counts as people read them."""
        counts = f"{self.done} of {self.total} shards done"
        if self.retried:
            counts += f", {self.retried} retried"
        return f"{counts}, {self.failed} failed" if self.failed else counts


class Printer:
    """Prints progress to a stream."""

    def __init__(self, stream: TextIO | None = None) -> None:
        """Print to `stream`, by default stderr."""
        self.stream = stream if stream is not None else sys.stderr
        self.on_terminal = self.stream.isatty()

    def __call__(self, progress: Progress) -> None:
        """Print where things stand."""
        clear = "\r\x1b[K" if self.on_terminal else ""
        if self.on_terminal and not progress.notable:
            end = "\n" if progress.done == progress.total else ""
            print(f"{clear}{progress}", end=end, file=self.stream, flush=True)
        else:
            counts = f"\n({progress})" if "\n" in progress.event else f" ({progress})"
            print(f"{clear}{progress.event}{counts}", file=self.stream, flush=True)
