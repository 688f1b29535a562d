"""Two calibration files of one device: how far apart they are, kernel by kernel."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spotsim_calibrate.errors import BadInputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NEAR = 0.02
"""Two runs of a kernel are near each other if they differ by no more than this share."""

Key = tuple[str, str, str]


def read_calibration(path: Path) -> dict[str, Any]:
    """Read a calibration file of `spotsim calibrate`."""
    try:
        return tomllib.loads(path.read_text())
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadInputError(f"{path} is no TOML: {error}") from error


def times_us(calibration: Mapping[str, Any]) -> dict[Key, float]:
    """Return the median time of each kernel by name, shape and precision."""
    return {
        (kernel["name"], kernel["shape"], kernel["precision"]): float(kernel["median_us"])
        for kernel in calibration.get("kernel", [])
    }


def repeated(a: Mapping[Key, float], b: Mapping[Key, float]) -> dict[str, Any]:
    """Return |a - b| / b over the kernels of both, those beyond `NEAR` one by one, and what only one has."""
    both = sorted(set(a) & set(b))
    if not both:
        raise BadInputError("the two calibration files have no kernel in common")
    apart = {key: abs(a[key] - b[key]) / b[key] for key in both}
    beyond = sorted((key for key in both if apart[key] > NEAR), key=lambda key: -apart[key])
    return {
        "kernels": len(both),
        "only_in_one": len(set(a) ^ set(b)),
        "median": statistics.median(apart.values()),
        "largest": max(apart.values()),
        "share_near": sum(value <= NEAR for value in apart.values()) / len(both),
        "beyond": [
            {"kernel": " ".join(key), "a_us": a[key], "b_us": b[key], "difference": apart[key]}
            for key in beyond
        ],
    }
