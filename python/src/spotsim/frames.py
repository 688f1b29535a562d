"""CSV files and rows as frames of pandas or polars, whichever there is."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

Kind = Literal["pandas", "polars"]
"""Which library a frame is of."""

KINDS: tuple[Kind, ...] = ("pandas", "polars")


def kind(asked: Kind | None) -> Kind:
    """Return the library that is asked for, or the first that is installed."""
    if asked is not None and asked not in KINDS:
        raise ValueError(f'frames={asked!r}: must be "pandas" or "polars"')
    for name in KINDS if asked is None else (asked,):
        if find_spec(name) is not None:
            return name
    wanted = asked or "pandas or polars"
    raise ImportError(f"frames need {wanted}: pip install {asked or 'pandas'}")


def read(path: Path, asked: Kind | None) -> Any:
    """Return a CSV file as a frame. Empty cells are missing; a cluster named `NA` is not."""
    library = kind(asked)
    module: Any = import_module(library)
    if library == "pandas":
        return module.read_csv(path, keep_default_na=False, na_values=[""])
    return module.read_csv(path, infer_schema_length=None)


def of_rows(rows: Sequence[dict[str, Any]], asked: Kind | None) -> Any:
    """Return rows as a frame."""
    library = kind(asked)
    module: Any = import_module(library)
    if library == "pandas":
        return module.DataFrame(list(rows))
    return module.DataFrame(list(rows), infer_schema_length=None)
