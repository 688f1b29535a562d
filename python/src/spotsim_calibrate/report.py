"""The report of `check`: what must be shown, whether it was, and what stands behind it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PASSED, MISSED, FAILED, RAN = "pass", "FAIL", "FAILED TO RUN", "ran"
"""How an item ended: as it must, measured and not as it must, not measured; or in a dry run, not judged."""


@dataclass
class Item:
    """One thing that must be shown."""

    name: str
    must: str
    outcome: str
    detail: str
    text: str = ""
    """A table to print as it is."""


@dataclass
class Report:
    """What was found so far; written after each item, so that a machine that goes away loses one at most."""

    folder: Path
    title: str
    items: list[Item] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)

    def add(self, item: Item) -> None:
        """Take an item, and write everything anew."""
        self.items.append(item)
        self.write()

    def write(self) -> None:
        """Write report.md and report.json."""
        items = [vars(item) for item in self.items]
        document = {"schema": 1, "kind": "check", "title": self.title, "items": items, **self.data}
        (self.folder / "report.json").write_text(json.dumps(document, indent=1) + "\n")
        (self.folder / "report.md").write_text(self.text())

    def text(self) -> str:
        """Return the report for people."""
        lines = [f"# {self.title}", "", "| must show | outcome | found |", "|---|---|---|"]
        lines += [
            f"| {_cell(item.name)}: {_cell(item.must)} | {item.outcome} | {_cell(item.detail)} |"
            for item in self.items
        ]
        lines += ["", "## Versions and state", ""]
        lines += [f"* {name}: {value}" for name, value in _flat(self.data.get("versions", {}))]
        lines += ["", "## Commands", "", "| command | exit code | seconds |", "|---|---|---|"]
        lines += [
            f"| `{_cell(ran['command'])}` | {'none: ' + ran['why'] if ran['code'] is None else ran['code']} "
            f"| {ran['seconds']:.1f} |"
            for ran in self.data.get("commands", [])
        ]
        for item in self.items:
            if item.text:
                lines += ["", f"## {item.name}", "", "```", item.text, "```"]
        return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _flat(values: dict[str, Any], before: str = "") -> list[tuple[str, Any]]:
    """Return nested values as lines."""
    found: list[tuple[str, Any]] = []
    for name, value in values.items():
        found += _flat(value, f"{before}{name} ") if isinstance(value, dict) else [(before + name, value)]
    return found
