"""What a notebook shows of a result."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

HEADS = ("Cluster", "Cost per finished run, $", "Makespan, h", "p95, h", "Finished, %", "Saves, %")
NONE = "\N{EN DASH}"
CELL = "text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;padding:2px 10px"
FIRST = "text-align:left;white-space:nowrap;padding:2px 10px"
MUTED = "color:#7A8696;font-size:90%"


def page(title: str, *parts: str) -> str:
    """Return title and parts, one below the other."""
    return f'<div><p style="font-weight:600;margin:4px 0">{escape(title)}</p>{"".join(parts)}</div>'


def picture(svg: str) -> str:
    """Return a picture as wide as there is room, up to its size in a report; its view box keeps the shape."""
    drawn = svg[max(svg.find("<svg"), 0) :].replace("<svg ", '<svg style="width:100%;height:auto" ', 1)
    return f'<div style="max-width:800px">{drawn}</div>'


def text(answer: str) -> str:
    """Return what the program printed, as it stands."""
    return f'<pre style="line-height:1.25;overflow-x:auto">{escape(answer.strip())}</pre>'


def verdict(answer: str) -> str:
    """Return the sentence below the title, the only paragraph of the head that is set in."""
    paragraphs = answer.strip("\n").split("\n\n")
    if len(paragraphs) < 2 or not paragraphs[1].startswith(" "):
        return ""
    sentence = " ".join(paragraphs[1].split())
    return f'<p style="margin:4px 0">{escape(sentence)}</p>'


def clusters(rows: Sequence[dict[str, Any]]) -> str:
    """Return the table of a run's clusters: means with their 95 % intervals."""
    head = "".join(f'<th style="{FIRST if i == 0 else CELL}">{name}</th>' for i, name in enumerate(HEADS))
    body = "".join(f"<tr>{_row(row)}</tr>" for row in rows)
    note = "Brackets: 95 % intervals, simulation error only. Saves: against the first On-Demand cluster."
    return f'<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p style="{MUTED}">{note}</p>'


def _row(row: dict[str, Any]) -> str:
    cells = [
        "infeasible" if row.get("status") == "infeasible" else _cost(row),
        _with_interval(row, "makespan_h_mean", "makespan_h"),
        _number(row.get("makespan_h_p95")),
        _share(row),
        _number(row.get("savings_vs_baseline"), 100.0, 1),
    ]
    name = f'<td style="{FIRST}">{escape(str(row["name"]))}</td>'
    return name + "".join(f'<td style="{CELL}">{cell}</td>' for cell in cells)


def _cost(row: dict[str, Any]) -> str:
    return _with_interval(row, "cost_per_finished_usd", "cost_per_finished_usd")


def _with_interval(row: dict[str, Any], key: str, stem: str) -> str:
    middle = _number(row.get(key))
    low, high = (_number(row.get(f"{stem}_ci_{end}")) for end in ("low", "high"))
    return middle if NONE in (middle, low, high) else f"{middle} [{low}, {high}]"


def _share(row: dict[str, Any]) -> str:
    """Return what finished, in per cent; where all or nothing did, the one-sided bound."""
    share, low, high = (row.get(f"finish_probability{end}") for end in ("", "_ci_low", "_ci_high"))
    if share is None or low is None or high is None:
        return NONE
    if share == 1:
        return f"&gt; {_number(low, 100.0)}"
    return f"&lt; {_number(high, 100.0)}" if share == 0 else _number(share, 100.0)


def _number(value: float | None, times: float = 1.0, digits: int = 2) -> str:
    return NONE if value is None else f"{value * times:,.{digits}f}".replace("-", "\N{MINUS SIGN}")
