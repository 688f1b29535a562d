"""The driver against a stand-in for spotsim: retries, exit codes, and going on."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Place, gone
from spotsim_ray import BadInputError, Outcome, Progress, drive
from spotsim_ray.cli import main

pytestmark = pytest.mark.usefixtures("local_ray")


def quiet(_: Progress) -> None:
    """Say nothing."""


def go(place: Place, shards: int, retries: int = 1) -> Outcome:
    """Drive the place's scenario."""
    return drive(place.experiment(shards, retries), report=quiet)


def test_shards_are_merged_in_their_order(place: Place) -> None:
    """Twelve, so that the order of numbers and that of names differ."""
    assert go(place, 12) == Outcome(0, 12, 0)
    assert Path("out/rows").read_text().split() == [str(shard) for shard in range(1, 13)]


def test_a_shard_that_fails_once_is_tried_again(place: Place) -> None:
    """Exit code 1 may be a full disk on one machine."""
    place.fail('"2" = [1]')
    assert go(place, 3) == Outcome(0, 3, 1)
    assert sorted(place.tried()) == [1, 2, 2, 3]


def test_a_killed_worker_process_leaves_no_files(place: Place) -> None:
    """Ray kills one that takes too much memory, and its node lives on; the folder of its shard goes."""
    place.fail('"2" = ["kill"]')
    assert go(place, 3) == Outcome(0, 3, 1)
    assert gone(Path(Path("scratch").read_text()))


def test_a_shard_that_keeps_failing_costs_no_other_shard(place: Place) -> None:
    """One retry, two failures; its last words and exit code 1 come back, and nothing is merged."""
    place.fail('"2" = [1, 1, 1]')
    outcome = go(place, 3)
    assert (outcome.code, outcome.done, outcome.retried) == (1, 2, 1)
    assert outcome.failed == {2: "error: shard 2 was told to fail"}
    assert not Path("out/rows").exists()


@pytest.mark.parametrize("code", [2, 4])
def test_a_failure_that_would_come_again_ends_the_drive(place: Place, code: int) -> None:
    """Bad input (2) and an infeasible scenario (4) are the same on every machine."""
    place.fail(f'"1" = [{code}]')
    outcome = go(place, 3)
    assert outcome.code == code
    assert place.tried().count(1) == 1
    assert "told to fail" in outcome.failed[1]


def test_the_same_command_computes_only_what_is_missing(place: Place) -> None:
    """Shard 3 is lost and shard 2 is of something else; the others are left alone."""
    go(place, 4)
    Path("out/shards/3-of-4/shard.json").unlink()
    other = Path("out/shards/2-of-4/shard.json")
    other.write_text(json.dumps({"shard": 2, "shards": 4, "fingerprint": "another"}))
    assert go(place, 4) == Outcome(0, 4, 0)
    assert sorted(place.tried()[4:]) == [2, 3]
    assert go(place, 4).code == 0
    assert len(place.tried()) == 6


def test_shards_of_another_question_are_refused(place: Place) -> None:
    """A changed file, of which the scenario knows only the name, makes it another question."""
    go(place, 2)
    Path("data/trace.csv").write_text("changed\n")
    for shards in (2, 3):
        with pytest.raises(BadInputError, match="another scenario"):
            go(place, shards)


def test_nothing_is_left_of_a_folder_that_was_cut_off(place: Place) -> None:
    """A driver that dies while it unpacks leaves a name that no one takes for a shard."""
    Path("out/shards/.1-of-2.partial/rows").mkdir(parents=True)
    assert go(place, 2).code == 0
    assert sorted(entry.name for entry in Path("out/shards").iterdir()) == [
        "1-of-2",
        "2-of-2",
        "question.txt",
    ]


def test_the_command_line_says_what_is_wrong(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """Each ends with exit code 2 and names the thing to change."""
    start = ["run", "scenarios/s.toml", "--out", "out", "--binary", str(place.fake)]
    cases = {
        "--shards 0: must be at least 1": [*start, "--shards", "0"],
        "--shard after --: the driver sets this": [*start, "--shards", "2", "--", "--shard", "1/2"],
        "--plots=none after --: shards show": [*start, "--shards", "2", "--", "--plots=none"],
        "no program nowhere": [*start[:-1], "nowhere", "--shards", "2"],
        "no scenario at scenarios/t.toml": ["run", "scenarios/t.toml", *start[2:], "--shards", "2"],
    }
    for message, arguments in cases.items():
        assert main(arguments) == 2
        assert message in capsys.readouterr().err


def test_the_command_line_prints_merges_answer(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    """The answer goes to stdout, progress to stderr, in plain lines where there is no terminal."""
    arguments = ["run", "scenarios/s.toml", "--shards", "2", "--out", "out", "--binary", str(place.fake)]
    assert main([*arguments, "--", "--seed", "7"]) == 0
    printed = capfd.readouterr()
    assert printed.out == "merged 2\n"
    assert "(2 of 2 shards done)" in printed.err


def test_an_error_on_a_worker_is_told_without_its_traceback(place: Place) -> None:
    """A pipe cannot be laid out there."""
    os.mkfifo("data/pipe")
    outcome = drive(replace(place.experiment(1, retries=0), ship=[Path("data/pipe")]), report=quiet)
    assert outcome.failed == {1: "SpecialFileError on a worker: 'data/pipe' is a special file"}


def test_ctrl_c_keeps_what_is_complete(place: Place) -> None:
    """Interrupted at the first complete shard; the next drive computes the others."""

    def interrupt(progress: Progress) -> None:
        if progress.done == 1 and "done" in progress.event:
            raise KeyboardInterrupt

    outcome = drive(place.experiment(6), report=interrupt)
    assert (outcome.code, outcome.done) == (130, 1)
    assert go(place, 6) == Outcome(0, 6, 0)


def command(place: Place, *more: str) -> list[str]:
    """Return the command line of a drive in two shards, in a process of its own."""
    start = [sys.executable, "-m", "spotsim_ray", "run", "scenarios/s.toml", "--shards", "2"]
    return [*start, "--binary", str(place.fake), *more]


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["--out", "out", "--address", "x"], 2, "no Ray cluster: Invalid address format: x"),
        (["--out", "data/trace.csv"], 1, "[Errno 20] Not a directory: 'data/trace.csv/shards'"),
    ],
    ids=["address", "folder"],
)
def test_what_cannot_be_reached_is_said_in_a_line(
    place: Place, more: list[str], code: int, message: str
) -> None:
    """No Ray there, or no place for the shards: no traceback."""
    done = subprocess.run(command(place, *more), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, f"spotsim-ray: {message}\n")


def test_ctrl_c_before_ray_is_there_is_said_in_a_line(place: Place) -> None:
    """As soon as the folder of shards is there, which is before Ray is imported."""
    environment = {**os.environ, "RAY_ADDRESS": "local"}
    with subprocess.Popen(
        command(place, "--out", "out"), env=environment, stderr=subprocess.PIPE, text=True
    ) as driver:
        while not Path("out/shards/question.txt").exists():
            time.sleep(0.01)
        driver.send_signal(signal.SIGINT)
        _, said = driver.communicate()
    assert driver.returncode == 130
    assert said.endswith("spotsim-ray: interrupted: the same command goes on from here\n")
    assert "Traceback" not in said


def test_a_real_ctrl_c_ends_the_command_and_its_spotsim(place: Place) -> None:
    """SIGINT to the command while shard 2 hangs: exit code 130, said in words, and no shard is half there."""
    place.fail('"2" = ["hang"]')
    environment = {**os.environ, "RAY_ADDRESS": "local"}
    with subprocess.Popen(
        command(place, "--out", "out"), env=environment, stderr=subprocess.PIPE, text=True
    ) as driver:
        assert driver.stderr is not None
        lines = iter(driver.stderr.readline, "")
        assert any("shard 1 is done" in line for line in lines)
        driver.send_signal(signal.SIGINT)
        said = driver.stderr.read()
    assert driver.returncode == 130, said
    assert "the same command goes on from here (1 of 2 shards done)" in said
    assert "Traceback" not in said
    assert sorted(entry.name for entry in Path("out/shards").iterdir()) == ["1-of-2", "question.txt"]
