"""Where the program is."""

from __future__ import annotations

import os
import shutil
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from spotsim.errors import NotFoundError


def find(given: str | os.PathLike[str] | None = None) -> str:
    """Return the program's path: as given, else of `$SPOTSIM`, of this install, or on the `PATH`."""
    named = os.environ.get("SPOTSIM") if given is None else os.fspath(given)
    if named:
        found = shutil.which(named)
        if found is None:
            source = "`binary`" if given is not None else "$SPOTSIM"
            raise NotFoundError(f"{source} is {named!r}, and there is no program of that name")
        return found
    found = _of_this_install() or shutil.which("spotsim")
    if found is None:
        raise NotFoundError(
            "there is no program spotsim: install the wheel or `cargo install --path .`, set $SPOTSIM, "
            "or give its path as `binary`"
        )
    return found


def _of_this_install() -> str | None:
    """Return the program that came with this package, by the list of files of the install."""
    try:
        installed = files("spotsim") or []
    except PackageNotFoundError:  # from a checkout
        return None
    for path in installed:
        if path.name in ("spotsim", "spotsim.exe"):
            located = Path(str(path.locate())).resolve()
            if located.is_file():
                return str(located)
    return None
