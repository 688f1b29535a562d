"""Python values as TOML, which the standard library reads but does not write."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, time
from numbers import Integral, Real
from os import PathLike, fspath
from typing import Any

Table = Mapping[str, Any]

BARE = re.compile(r"[A-Za-z0-9_-]+")


def document(table: Table) -> str:
    """Return a whole file: plain keys, then `[table]`s and `[[list]]`s; what is deeper stands in one line."""
    plain, tables = [], []
    for key, item in table.items():
        if isinstance(item, Mapping):
            tables.append(_section(f"[{name(key)}]", item, key))
        elif _is_list(item) and item and all(isinstance(one, Mapping) for one in item):
            tables += [_section(f"[[{name(key)}]]", one, f"{key}.{i}") for i, one in enumerate(item)]
        else:
            plain.append(f"{name(key)} = {value(item, key)}\n")
    return "\n".join(["".join(plain), *tables])


def _section(head: str, table: Table, where: str) -> str:
    lines = (f"{name(key)} = {value(item, f'{where}.{key}')}\n" for key, item in table.items())
    return f"{head}\n{''.join(lines)}"


def name(key: object) -> str:
    """Return a key, in quotes where it needs them."""
    if not isinstance(key, str):
        raise TypeError(f"a key of a scenario is text, not {key!r}")
    return key if BARE.fullmatch(key) else _text(key)


def value(item: Any, where: str) -> str:
    """Return a value in one line; `where` names its key if TOML has no such value."""
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, str):
        return _text(item)
    if isinstance(item, Integral):
        return str(int(item))
    if isinstance(item, Real):
        return _number(float(item))
    if isinstance(item, date | time):
        return item.isoformat()
    if isinstance(item, PathLike):
        return _text(str(fspath(item)))
    if isinstance(item, Mapping):
        pairs = [f"{name(key)} = {value(inner, f'{where}.{key}')}" for key, inner in item.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    if _is_list(item):
        return f"[{', '.join(value(inner, f'{where}.{i}') for i, inner in enumerate(item))}]"
    if item is None:
        raise TypeError(f"`{where}` is None, which TOML has not: leave the key out")
    raise TypeError(f"`{where}` is {item!r}, of type {type(item).__name__}, which TOML has not")


def _is_list(item: Any) -> bool:
    return isinstance(item, Sequence) and not isinstance(item, str | bytes)


def _number(number: float) -> str:
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return repr(number)


def _text(text: str) -> str:
    # Strings of JSON are strings of TOML, but for the delete character, which TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
