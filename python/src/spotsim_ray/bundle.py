"""What travels to the workers: the scenario and the files that it names, laid out as they lie here."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from spotsim_ray.errors import BadInputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Bundle:
    """Files below a common folder, as a tar that is the same for the same files."""

    files: bytes
    folder: str
    """The working folder, relative to the common one."""
    scenario: str
    """The scenario, relative to the working folder: a name that holds here and on a worker."""

    @property
    def digest(self) -> str:
        """SHA-256 of the files, in hexadecimal."""
        return hashlib.sha256(self.files).hexdigest()


def pack(scenario: Path, ship: Sequence[Path] = ()) -> Bundle:
    """Pack a scenario, the files that it names by a relative path, and `ship` (files or folders)."""
    if not scenario.is_file():
        raise BadInputError(f"no scenario at {scenario}")
    for extra in ship:
        if not extra.exists():
            raise BadInputError(f"--ship: nothing at {extra}")
    here = os.getcwd()
    paths = [os.path.abspath(path) for path in [scenario, *named_files(scenario), *ship]]
    root = os.path.commonpath([here, *paths])
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", dereference=True) as tar:
        for path in sorted(set(paths)):
            tar.add(path, arcname=os.path.relpath(path, root), filter=_without_owner)
    return Bundle(packed.getvalue(), os.path.relpath(here, root), os.path.relpath(scenario, here))


def named_files(scenario: Path) -> list[Path]:
    """Return the files that stand in a scenario as text, relative to its folder, as spotsim looks for them.

    A scenario that is no TOML names none: spotsim itself says best what is wrong with it.
    """
    try:
        tree = tomllib.loads(scenario.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return []
    candidates = {text for text in _texts(tree) if 0 < len(text) < 1000 and "\n" not in text}
    relative = sorted(text for text in candidates if not os.path.isabs(text))
    return [path for path in (scenario.parent / text for text in relative) if path.is_file()]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _without_owner(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry
