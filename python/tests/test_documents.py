"""Python in the documents gives what they show.

Every `python` block of a document is run, in the order of the page and in a copy of the files that a reader
has; a `text` block right beneath it is what its last expression is. After `python` may stand
`not-run: REASON`. `tests/it/docs.rs` does the same for commands.
"""

import ast
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(
    r"^```python(?P<mark>.*)\n(?P<code>(?:.*\n)*?)```\n(?:\n*```text\n(?P<shown>(?:.*\n)*?)```\n)?",
    re.MULTILINE,
)
DOCUMENTS = [
    path
    for path in sorted([ROOT / "README.md", ROOT / "python/README.md", *ROOT.glob("docs/*.md")])
    if BLOCK.search(path.read_text(encoding="utf-8"))
]


def value(code: str, names: dict[str, object]) -> str:
    """Run a block, and return what an interpreter would print for its last expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "block", "exec"), names)  # noqa: S102
    if last is None:
        return ""
    return repr(eval(compile(ast.Expression(last.value), "block", "eval"), names))  # noqa: S307


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_python_of_a_document_gives_what_it_shows(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The right value stands in the document."""
    for folder in ("scenarios", "data"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    # A terminal of 100 columns, as spotsim's own tables want it.
    monkeypatch.setenv("COLUMNS", "100")
    names: dict[str, object] = {}
    for block in BLOCK.finditer(document.read_text(encoding="utf-8")):
        mark = block["mark"]
        if mark:
            assert re.fullmatch(r" not-run: \S.*", mark), f"after `python` stands `{mark}`"
            continue
        printed = value(block["code"], names)
        if block["shown"] is not None:
            assert printed == block["shown"].rstrip("\n")
