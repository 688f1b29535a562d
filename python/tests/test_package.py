"""The package `spotsim` over the real program."""

import csv
import json
import os
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import warnings
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import spotsim
from conftest import HERE
from spotsim import toml

SCENARIOS = HERE.parent.parent / "scenarios"
SEED = SCENARIOS / "seed-g5.toml"

SMALLEST: dict[str, Any] = {
    "name": "from-python",
    "job": {"work": {"ideal_time": "10 h"}},
    "capacity": {"always": {}},
    "cluster": [{"name": "one", "instance": "g5.xlarge", "nodes": 1, "market": "on-demand"}],
}
"""Ten hours of work on a machine that is never taken away."""


@pytest.fixture(autouse=True)
def named(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `$SPOTSIM` name the program that is tested."""
    monkeypatch.setenv("SPOTSIM", str(request.getfixturevalue("spotsim_program")))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_hold_what_the_files_hold(library: str, tmp_path: Path) -> None:
    """Rows, columns and a mean, read a second time by the standard library."""
    pytest.importorskip(library)
    result = spotsim.run(SEED, replications=50, seed=3, out=tmp_path, frames=library)
    for name, frame in (("clusters", result.clusters), ("replications", result.replications)):
        rows = list(csv.DictReader((tmp_path / f"{name}.csv").open()))
        assert (len(frame), list(frame.columns)) == (len(rows), list(rows[0]))
    cost = [float(row["cost_nusd"]) for row in rows]
    assert result.replications["cost_nusd"].sum() == sum(cost)
    assert type(result.clusters).__module__.startswith(library)
    assert result.summary == json.loads((tmp_path / "summary.json").read_text())
    assert result.report == tmp_path / "report.html"


def test_a_file_gives_the_bytes_of_the_command_line(tmp_path: Path, spotsim_program: Path) -> None:
    """All but `manifest.json`, with the same seed, replications and `--set`."""
    spotsim.run(SEED, replications=20, set={"job.deadline": "12 h"}, out=tmp_path / "a")
    line = ["run", SEED, "--replications", "20", "--set", 'job.deadline="12 h"', "--out", tmp_path / "b"]
    subprocess.run([spotsim_program, *line], check=True, capture_output=True)
    written = sorted(path.relative_to(tmp_path / "b") for path in (tmp_path / "b").rglob("*.*"))
    assert len(written) > 5
    for path in written:
        if path.name != "manifest.json":
            assert (tmp_path / "a" / path).read_bytes() == (tmp_path / "b" / path).read_bytes(), path


def test_a_dict_is_a_scenario() -> None:
    """Ten hours that nothing interrupts take ten hours and what a start takes, here none."""
    result = spotsim.run(SMALLEST, replications=5, set={"start": {"provision": "0 s", "start": "0 s"}})
    (cluster,) = result.summary["clusters"]
    assert cluster["makespan_h_mean"] == 10
    assert result.summary["scenario"]["name"] == "from-python"


def test_relative_paths_of_a_dict_begin_in_the_folder() -> None:
    """A recorded trace is found from `scenarios/`, and nothing is left there."""
    before = set(SCENARIOS.iterdir())
    trace = {"trace": {"file": "../data/traces/aws-2023-02-15-v100-us-west-2a.csv"}}
    scenario = {**SMALLEST, "capacity": trace}
    scenario["cluster"] = [{**SMALLEST["cluster"][0], "market": "spot", "pricing": {"spot": "0.5 USD/h"}}]
    assert spotsim.run(scenario, replications=5, folder=SCENARIOS).summary["clusters"]
    assert set(SCENARIOS.iterdir()) == before
    with pytest.raises(spotsim.BadInputError, match="us-west-2a"):
        spotsim.run(scenario, replications=5)


@pytest.mark.parametrize(
    ("command", "scenario", "options"),
    [
        ("sweep", "calibrated-sweep", {}),
        ("sensitivity", "sensitivity-g5", {"method": "morris", "trajectories": 2}),
        ("plan", "plan-g5", {"deadline": "9 h"}),
        ("step", "seed-g5", {"replications": None}),
        ("optimum", "seed-g5", {"plots": "svg"}),
        ("policies", "seed-g5", {}),
        ("timeline", "seed-g5", {"replications": None}),
    ],
)
def test_every_command_gives_a_summary_and_something_to_look_at(
    command: str, scenario: str, options: dict[str, Any], spotsim_program: Path
) -> None:
    """By the same few words for all."""
    if command not in subprocess.run([spotsim_program, "--help"], capture_output=True, text=True).stdout:
        pytest.skip(f"this spotsim knows no {command}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", spotsim.SpotsimWarning)
        options = {"replications": 20, **options}
        result = getattr(spotsim, command)(SCENARIOS / f"{scenario}.toml", **options)
    assert result.summary
    assert "<svg" in result._repr_html_()
    assert str(result).strip().splitlines()[0] in result._repr_html_() or "&" in result._repr_html_()


def test_a_break_even_takes_a_key_and_two_ends() -> None:
    """`from` is a word of Python, so it is written `from_`."""
    key = "capacity.renewal.uptime.weibull.mean"
    result = spotsim.break_even(SEED, key, from_="1 h", to="10 h", replications=20)
    assert len(result.frame("break-even")) > 0


def test_bad_input_is_said_in_the_programs_words() -> None:
    """With its exit code."""
    with pytest.raises(spotsim.BadInputError, match="did you mean `deadline`") as caught:
        spotsim.run(SEED, set={"job.deadlin": "5 h"})
    assert caught.value.exit_code == 2
    assert caught.value.message.startswith("error: unknown key `deadlin`")


def test_a_missed_expectation_brings_its_result() -> None:
    """The run is complete; only a bound was missed."""
    with pytest.raises(spotsim.ExpectationMissedError, match="expected at most 3") as caught:
        spotsim.run(SEED, replications=20, set={"expect": {"cost_usd_mean": {"max": 3}}})
    assert caught.value.exit_code == 3
    assert caught.value.result is not None
    assert len(caught.value.result.summary["clusters"]) == 3


def test_what_no_cluster_can_do_is_an_error() -> None:
    """A deadline of one minute."""
    with pytest.raises(spotsim.NothingFinishedError) as caught:
        spotsim.run(SEED, replications=20, set={"job.deadline": "1 min"})
    assert caught.value.exit_code == 4


def test_warnings_come_through() -> None:
    """As Python's, and in the result, one for each."""
    with pytest.warns(spotsim.SpotsimWarning, match="the horizon of 5 h ends runs before the deadline"):
        result = spotsim.run(SCENARIOS / "plan-g5.toml", replications=20, set={"job.horizon": "5 h"})
    assert all(text.startswith("warning: ") for text in result.warnings)
    assert len(result.warnings) >= 2


def test_a_program_that_is_not_there_is_said() -> None:
    """By the name that was given."""
    with pytest.raises(spotsim.NotFoundError, match="no-such-spotsim"):
        spotsim.run(SEED, binary="no-such-spotsim")


def test_a_file_that_a_command_does_not_write_is_said() -> None:
    """With those that it does."""
    with pytest.raises(FileNotFoundError, match=r"`spotsim step` wrote no sweep\.csv; .*step\.json"):
        spotsim.step(SEED).frame("sweep")


def test_ctrl_c_ends_the_program_and_keeps_what_is_complete(tmp_path: Path) -> None:
    """A run of minutes, interrupted as a notebook does it: once its first rows are written."""
    seen = []

    def interrupt() -> None:
        for _ in range(600):
            if any(path.stat().st_size for path in tmp_path.rglob("*replications.csv*")):
                seen.append(True)
                break
            time.sleep(0.1)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    watcher = threading.Thread(target=interrupt)
    watcher.start()
    with pytest.raises(KeyboardInterrupt):
        spotsim.run(SEED, replications=100_000_000, out=tmp_path, threads=1)
    watcher.join()
    assert seen
    assert json.loads((tmp_path / "summary.json").read_text())["clusters"][0]["replications"] < 100_000_000


def test_the_module_is_the_command() -> None:
    """`python -m spotsim` prints what the program prints."""
    said = subprocess.run([sys.executable, "-m", "spotsim", "--version"], capture_output=True, text=True)
    assert (said.returncode, said.stdout.split()[0]) == (0, "spotsim")


def test_the_install_carries_the_program_and_its_licences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found without `$SPOTSIM` and a `PATH`, of the version of the package, with what must go along."""
    monkeypatch.delenv("SPOTSIM")
    monkeypatch.setenv("PATH", "")
    try:
        program = Path(spotsim.find())
    except spotsim.NotFoundError:
        if os.environ.get("SPOTSIM_TEST_WHEEL"):
            raise
        pytest.skip("the package is not installed with the program: pip install .")
    assert program == (Path(sysconfig.get_path("scripts")) / "spotsim").resolve()
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["spotsim", metadata.version("spotsim")]
    names = {path.name for path in metadata.files("spotsim") or []}
    assert {"LICENSE-MIT", "LICENSE-APACHE", "OFL.txt", "MIT-parcae.txt", "py.typed"} <= names


def test_python_values_are_written_as_toml() -> None:
    """Read back by the standard library, they are the same."""
    reader = pytest.importorskip("tomllib")
    table = {
        "text": 'tab\t, "quote", back\\slash, line\n, \x7f, ü, 🚀',
        "numbers": [0, -1, 2**60, 0.1, 1e300, float("inf")],
        "flag": True,
        "odd key": {"a.b": {"deep": [{"x": 1}, {}]}, "": []},
        "cluster": [{"name": "a", "pricing": {"savings": 0.5}}, {"name": "b"}],
    }
    assert reader.loads(toml.document(table)) == table


@pytest.mark.parametrize("bad", [None, object(), b"bytes"])
def test_what_toml_has_not_is_refused_by_its_key(bad: object) -> None:
    """The key's whole path is named."""
    with pytest.raises(TypeError, match=r"`cluster\.0\.nodes` is "):
        toml.document({"cluster": [{"nodes": bad}]})
