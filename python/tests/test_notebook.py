"""The example notebooks say what they compute.

`UPDATE_GOLDEN=1 pytest python/tests/test_notebook.py` executes them anew and keeps the outputs.
"""

import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import HERE

EXAMPLES = HERE.parent / "examples"
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
ENOUGH_DIGITS = 3
"""Numbers in the text with fewer are names and counts: what is stated has at least so many."""


def execute(path: Path) -> nbformat.NotebookNode:
    """Return a notebook with the outputs of now, and without what only an editor needs."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    notebook.metadata = {
        "kernelspec": notebook.metadata["kernelspec"],
        "language_info": {"name": "python"},
    }
    return notebook


def said(notebook: nbformat.NotebookNode) -> list[str]:
    """Return the outputs that are text, without pictures, which other releases draw otherwise."""
    texts: list[str] = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data: dict[str, Any] = output.get("data", {})
            texts.append(output.get("text") or data.get("text/html") or data.get("text/plain", ""))
    return [re.sub(r"<svg.*</svg>", "", text, flags=re.DOTALL) for text in texts]


def stated(notebook: nbformat.NotebookNode) -> set[str]:
    """Return the numbers of the prose."""
    prose = " ".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    found = {number for number in NUMBER.findall(prose) if "." in number}
    return {number for number in found if sum(map(str.isdigit, number)) >= ENOUGH_DIGITS}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_shows_and_states_what_it_computes(
    path: Path, spotsim_program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No cell fails, each text is the committed one, and the prose has no number that no cell printed."""
    monkeypatch.setenv("SPOTSIM", str(spotsim_program))
    committed = nbformat.read(path, as_version=4)
    executed = execute(path)
    if os.environ.get("UPDATE_GOLDEN"):
        nbformat.write(executed, path)
        committed = executed
    assert said(executed) == said(committed), "UPDATE_GOLDEN=1 keeps the new outputs"
    printed = {number for text in said(executed) for number in NUMBER.findall(text)}
    # The prose may round what was printed, and state a share in per cent.
    shown = {float(number.replace(",", "")) for number in printed}
    for number in stated(executed):
        digits = len(number.partition(".")[2])
        wanted = float(number.replace(",", ""))
        near = {round(value, digits) for value in shown} | {round(100 * value, digits) for value in shown}
        assert wanted in near, f"{path.name} states {number}, which no cell printed"
