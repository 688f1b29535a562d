"""What the commands of this package share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from spotsim_calibrate.errors import BAD_INPUT, FAILED, BadInputError


def leave(main: Callable[[Sequence[str]], int]) -> None:
    """Run a command with this process's arguments and leave with its exit code."""
    try:
        sys.exit(main(sys.argv[1:]))
    except BadInputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(FAILED)


def write_json(document: dict[str, Any], path: Path) -> None:
    """Write a document, and make its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n")


def read_json(path: Path, kind: str | None = None) -> dict[str, Any]:
    """Read a document, of this kind if one is given."""
    try:
        document = json.loads(path.read_text())
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadInputError(f"{path} is no JSON: {error}") from error
    if not isinstance(document, dict) or (kind is not None and document.get("kind") != kind):
        raise BadInputError(f"{path} is not what `spotsim_calibrate.{kind}` writes")
    return document
