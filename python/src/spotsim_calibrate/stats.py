"""Median, quartiles and the interval of a median."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    """What repeated timings come to, in the unit of the timings."""

    n: int
    median: float
    quartile_low: float
    quartile_high: float
    interval_low: float
    interval_high: float

    def named(self, unit: str) -> dict[str, float]:
        """Return the figures by name, each with its unit: `median_ms`."""
        figures = {name: value for name, value in vars(self).items() if name != "n"}
        return {"n": self.n, **{f"{name}_{unit}": value for name, value in figures.items()}}


def summary(values: Sequence[float]) -> Summary:
    """Summarize at least two values; the interval is the median's, 95 % or more.

    It lies between two order statistics (binomial, no law of the values assumed). Below six values no pair of
    them covers 95 %: then it is their whole range.
    """
    ordered = sorted(values)
    low, median, high = statistics.quantiles(ordered, n=4, method="inclusive")
    rank = _rank(len(ordered))
    return Summary(len(ordered), median, low, high, ordered[rank], ordered[-1 - rank])


def _rank(n: int) -> int:
    """Return the largest r, from 0, with P(fewer than r + 1 of n values lie below the median) <= 2.5 %."""
    below, rank = 0.0, 0
    for r in range(n // 2):
        below += math.comb(n, r) / 2.0**n
        if below > 0.025:
            break
        rank = r
    return rank
