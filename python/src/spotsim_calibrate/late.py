"""PyTorch and timm, imported when they are needed: all else here runs without them."""

from __future__ import annotations

import importlib
from typing import Any

from spotsim_calibrate.errors import BadInputError


def torch() -> Any:
    """Return PyTorch, or say in a sentence that it is missing."""
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise BadInputError(
            f"PyTorch cannot be imported ({error}): `pip install 'spotsim[torch]'` installs it"
        ) from error


def timm() -> Any | None:
    """Return timm, or None where it is not installed or cannot be used."""
    try:
        return importlib.import_module("timm")
    except (ImportError, RuntimeError):  # the latter from a torchvision built for another PyTorch
        return None
