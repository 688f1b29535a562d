"""Times of work on a device: by CUDA's events where there is one, else by the host's clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

EVENTS, CLOCK = "CUDA events", "perf_counter"


class Timer:
    """Times work on one device."""

    def __init__(self, torch: Any, device: str) -> None:
        """Take the device by its name: `cuda`, `cpu`."""
        self._torch = torch
        self._cuda = device != "cpu"
        self.name = EVENTS if self._cuda else CLOCK

    def wait(self) -> None:
        """Return once the device has done all that it was given."""
        if self._cuda:
            self._torch.cuda.synchronize()

    def warm_up(self, work: Callable[[], None], times: int, seconds: float, inner: int = 1) -> None:
        """Do the work, `inner` times in a row, at least often and long enough that clocks settle."""
        end = time.perf_counter() + seconds
        done = 0
        while done < times or time.perf_counter() < end:
            for _ in range(inner):
                work()
            self.wait()
            done += 1

    def each_ms(self, work: Callable[[], None], times: int, inner: int = 1) -> list[float]:
        """Return milliseconds of one piece of work, `times` times over, each the mean of `inner` in a row.

        The device never waits for the host in between: an event stands between one and the next.
        """
        marks = [self._mark()]
        for _ in range(times):
            for _ in range(inner):
                work()
            marks.append(self._mark())
        self.wait()
        return [self._between(a, b) / inner for a, b in pairwise(marks)]

    def _mark(self) -> Any:
        if not self._cuda:
            return time.perf_counter()
        event = self._torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def _between(self, a: Any, b: Any) -> float:
        return float(a.elapsed_time(b)) if self._cuda else (b - a) * 1e3
