"""What a command answered."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from spotsim import frames, html

MAIN_PICTURE = "cost-vs-time"
"""The picture that a notebook shows, where there are several."""


@dataclass(frozen=True, eq=False)
class Result:
    """The files that a command wrote, and what it said.

    Names of results carry their units: `_usd` dollars, `_h` hours, `_s` seconds, `_ns` nanoseconds, `_nusd`
    nano-dollars; probabilities and savings are shares of 1. `print(result)` prints the table of the terminal.

    * `command`: the command line that was run.
    * `folder`: where its files are. Without `out` it goes when Python ends.
    * `text`: what it printed, a table.
    * `warnings`: what it warned of.
    * `frames`: which library frames are of; `None` takes pandas or polars, whichever is installed.
    """

    command: tuple[str, ...]
    folder: Path
    text: str
    warnings: tuple[str, ...] = ()
    frames: frames.Kind | None = None

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The results as `--format json` prints them, from the command's JSON file."""
        for name in ("summary", self.command[1]):
            path = self.folder / f"{name}.json"
            if path.is_file():
                found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
                return found
        raise FileNotFoundError(self._missing("summary.json"))

    @cached_property
    def clusters(self) -> Any:
        """A frame with a row a cluster: `clusters.csv`, or the plain values of `summary["clusters"]`."""
        if (self.folder / "clusters.csv").is_file():
            return self.frame("clusters")
        rows = [_plain(cluster) for cluster in self.summary.get("clusters", [])]
        if not rows:
            raise FileNotFoundError(self._missing("clusters.csv"))
        return frames.of_rows(rows, self.frames)

    @cached_property
    def replications(self) -> Any:
        """A frame with a row a cluster and replication, of `spotsim run`: the first million replications."""
        return self.frame("replications")

    def frame(self, name: str) -> Any:
        """Return a CSV file of the folder as a frame: `sweep`, `pareto`, `candidates`, `sensitivity`, ..."""
        path = self.folder / f"{name.removesuffix('.csv')}.csv"
        if not path.is_file():
            raise FileNotFoundError(self._missing(path.name))
        return frames.read(path, self.frames)

    @property
    def report(self) -> Path:
        """The path of `report.html`, a page for the browser."""
        path = self.folder / "report.html"
        if not path.is_file():
            raise FileNotFoundError(self._missing("report.html"))
        return path

    @property
    def files(self) -> dict[str, Path]:
        """All files, by their path in the folder: `plots/cost-vs-time.svg`."""
        found = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path for path in found}

    def picture(self, name: str | None = None) -> str:
        """Return a picture as SVG text, by its name (`time-parts`); without one the main picture."""
        drawn = {path.stem: path for path in self.files.values() if path.suffix == ".svg"}
        if name is None and drawn:
            name = MAIN_PICTURE if MAIN_PICTURE in drawn else next(iter(drawn))
        if name not in drawn:
            raise FileNotFoundError(self._missing(f"{name or 'picture'}.svg"))
        return drawn[name].read_text(encoding="utf-8")

    def __str__(self) -> str:
        """Return what the program printed."""
        return self.text

    def __repr__(self) -> str:
        """Return the command and its scenario."""
        return f"<spotsim {self.command[1]} of {Path(self.command[2]).name}>"

    def _repr_html_(self) -> str:
        """Return the verdict, the table and the main picture, for a notebook."""
        try:
            picture = html.picture(self.picture())
        except FileNotFoundError:
            picture = ""
        simulated = self.command[1] == "run" and (self.folder / "summary.json").is_file()
        if not simulated:
            return html.page(f"spotsim {self.command[1]}", picture, html.text(self.text))
        scenario = self.summary["scenario"]
        title = str(scenario.get("title") or scenario["name"])
        return html.page(title, html.verdict(self.text), html.clusters(self.summary["clusters"]), picture)

    def _missing(self, name: str) -> str:
        there = ", ".join(self.files) or "nothing"
        return f"`spotsim {self.command[1]}` wrote no {name}; in {self.folder} there is {there}"


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in row.items() if not isinstance(item, dict | list)}
