"""The files of deploy/, as far as a machine without schedulers can check them.

Shell by shellcheck, shfmt and dry runs against stand-ins; Kubernetes against its own schemas; AWS Batch
against the service's model in botocore.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import botocore.session
import kubernetes_validate
import pytest
import yaml
from botocore.validate import ParamValidator

from conftest import HERE, Place

ROOT = HERE.parent.parent
DEPLOY = ROOT / "deploy"
SHELL = sorted([*DEPLOY.rglob("*.sh"), *DEPLOY.rglob("*.sbatch")])
MANIFESTS = sorted(DEPLOY.glob("kubernetes/*.yaml"))
TOOLS = Path(sys.executable).parent

ARGUMENTS = ["run", "scenarios/s.toml", "--seed", "7"]
"""What a user gives beside the number of shards and the folder."""


def run(command: list[str], place: Place, **variables: str) -> str:
    """Run a command where the stand-in is spotsim and the programs of the place's `bin` are found first."""
    path = f"{place.path / 'bin'}:{place.path}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "SPOTSIM": str(place.fake), **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def stand_in(place: Place, name: str, body: str) -> None:
    """Put a shell program into the place's `bin`."""
    folder = place.path / "bin"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/bash\n{body}\n")
    (folder / name).chmod(0o755)


def merged() -> list[str]:
    """Return the rows of the merged answer, which are the numbers of its shards."""
    return Path("out/rows").read_text().split()


@pytest.mark.parametrize("script", SHELL, ids=lambda path: path.name)
def test_shell_is_clean(script: Path) -> None:
    """Shellcheck finds nothing, and shfmt would change nothing."""
    shell = "sh" if script.read_text().startswith("#!/bin/sh\n") else "bash"
    subprocess.run([TOOLS / "shellcheck", f"--shell={shell}", script], check=True)
    subprocess.run([TOOLS / "shfmt", "-d", "-i", "2", script], check=True)


def test_slurm_runs_every_shard_and_then_merges(place: Place) -> None:
    """A stand-in for sbatch runs the array's tasks in turn, with the variables that Slurm sets."""
    stand_in(
        place,
        "sbatch",
        """echo "$@" >>sbatch.log
while [[ $1 == --* ]]; do [[ $1 == --array=* ]] && array=${1#*=}; shift; done
tasks=$(tr , '\\n' <<<"${array:-0}" | sed 's/-/ /' | xargs -L1 sh -c 'seq $0 ${1:-$0}')
for task in $tasks; do
  SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_PER_TASK=1 bash "$@" >>job.log || exit
done
echo "1${#tasks};cluster" """,
    )
    submit = [str(DEPLOY / "slurm/submit.sh"), *ARGUMENTS]
    run(submit, place, SHARDS="12", OUT="out")
    assert merged() == [str(shard) for shard in range(1, 13)]
    assert "--dependency=afterok:1" in Path("sbatch.log").read_text()
    run(submit, place, SHARDS="12", OUT="out", ONLY="3,7-8")
    assert place.tried()[12:] == [3, 7, 8]


@pytest.mark.skipif(shutil.which("parallel") is None, reason="GNU parallel is not installed")
def test_parallel_runs_only_what_has_not_ended_well(place: Place) -> None:
    """Shard 2 keeps failing in the first go; the second runs it alone, and merges."""
    place.fail('"2" = [1, 1, 1]')
    script = [str(DEPLOY / "parallel/run.sh"), "12", "out", *ARGUMENTS]
    with pytest.raises(AssertionError, match="some shards have failed"):
        run(script, place)
    run(script, place)
    assert merged() == [str(shard) for shard in range(1, 13)]
    assert sorted(place.tried()) == sorted([*range(1, 13), 2, 2, 2])


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.name)
def test_kubernetes_knows_every_key(manifest: Path) -> None:
    """Strict schemas of the oldest version named in the file's comments and of the newest there is."""
    for version in ("1.29", kubernetes_validate.latest_version()):
        for document in yaml.safe_load_all(manifest.read_text()):
            kubernetes_validate.validate(document, version, strict=True)


def container(name: str) -> dict:
    """Return the only container of a manifest's pods."""
    job = yaml.safe_load((DEPLOY / f"kubernetes/{name}.yaml").read_text())
    (found,) = job["spec"]["template"]["spec"]["containers"]
    return found


def script_of(name: str) -> list[str]:
    """Return the command of a manifest's container, for the stand-in's scenario."""
    found = container(name)
    (script,) = found["args"]
    return [*found["command"], script.replace("scenarios/seed-g5.toml", "scenarios/s.toml")]


def test_kubernetes_runs_every_shard_and_then_merges(place: Place) -> None:
    """The pods' commands, with the index from 0 that Kubernetes gives, for 3 shards."""
    for index in range(3):
        run(script_of("shards"), place, JOB_COMPLETION_INDEX=str(index), SHARDS="3", OUT="out")
    run(script_of("merge"), place, SHARDS="3", OUT="out")
    assert merged() == ["1", "2", "3"]


def test_kubernetes_files_agree() -> None:
    """As many shards as completions, and both jobs in the same folder of the same image."""
    job = yaml.safe_load((DEPLOY / "kubernetes/shards.yaml").read_text())
    shards, merge = container("shards"), container("merge")
    assert {"name": "SHARDS", "value": str(job["spec"]["completions"])} in shards["env"]
    assert all(variable in shards["env"] for variable in merge["env"])
    for key in ("image", "workingDir", "volumeMounts"):
        assert shards[key] == merge[key]


@pytest.mark.parametrize(
    ("file", "operation"),
    [
        ("job-definition", "RegisterJobDefinition"),
        ("shards", "SubmitJob"),
        ("merge", "SubmitJob"),
    ],
)
def test_aws_batch_takes_every_key(file: str, operation: str) -> None:
    """Names and types, against the model of the API that botocore has."""
    request = batch_job(file)
    model = botocore.session.get_session().get_service_model("batch")
    report = ParamValidator().validate(request, model.operation_model(operation).input_shape)
    assert not report.has_errors(), report.generate_report()


def batch_job(name: str) -> dict:
    """Return a request of aws-batch/."""
    return json.loads((DEPLOY / f"aws-batch/{name}.json").read_text())


def test_aws_batch_runs_every_shard_and_then_merges(place: Place) -> None:
    """The commands, with the index from 0 that Batch gives, for 3 shards."""
    shards, merge = (batch_job(name) for name in ("shards", "merge"))
    for index in [0, 1, 2, None]:
        command = (shards if index is not None else merge)["containerOverrides"]["command"]
        command = [part.replace("/data", ".").replace("seed-g5", "s") for part in command]
        run(command, place, AWS_BATCH_JOB_ARRAY_INDEX=str(index), SHARDS="3", OUT="out")
    assert merged() == ["1", "2", "3"]


def test_aws_batch_files_agree() -> None:
    """As many shards as the array is long, which is in its range, and the same folder in both jobs."""
    shards, merge = (batch_job(name) for name in ("shards", "merge"))
    size = shards["arrayProperties"]["size"]
    assert 2 <= size <= 10_000
    environment = shards["containerOverrides"]["environment"]
    assert {"name": "SHARDS", "value": str(size)} in environment
    assert all(variable in environment for variable in merge["containerOverrides"]["environment"])


def test_the_image_is_clean() -> None:
    """Hadolint finds nothing in the Dockerfile."""
    subprocess.run([TOOLS / "hadolint", DEPLOY / "Dockerfile"], check=True)


def copied() -> list[str]:
    """Return what the Dockerfile copies from the checkout: all but the last word, without options."""
    lines = [line.split() for line in (DEPLOY / "Dockerfile").read_text().splitlines()]
    copies = [line[1:-1] for line in lines if line[:1] == ["COPY"] and "--from=build" not in line]
    return [source for copy in copies for source in copy if not source.startswith("--")]


def test_the_image_copies_what_is_there_and_sent() -> None:
    """Each source exists, and is under a name that the .dockerignore lets through."""
    first, *rules = (DEPLOY / "Dockerfile.dockerignore").read_text().split()
    assert first == "*"
    sent = [rule.removeprefix("!") for rule in rules]
    for source in copied():
        assert (ROOT / source).exists(), source
        folders = [source, *map(str, Path(source).parents)]
        assert any(fnmatch(folder, rule) for folder in folders for rule in sent), source


def test_the_image_has_every_file_that_the_program_takes_in() -> None:
    """Files that Rust includes, and those that Cargo.toml names, are among the copied; tests' own aside."""
    there = [ROOT / source for source in copied()]
    included = re.compile(r"include_(?:str|bytes)!\(\s*\"([^\"]+)\"")
    for source in (ROOT / "src").rglob("*.rs"):
        for name in included.findall(source.read_text()):
            path = (source.parent / name).resolve()
            if path.is_relative_to(ROOT / "tests"):
                continue
            assert path.is_file(), f"{source} includes {name}"
            assert any(path.is_relative_to(folder) for folder in there), f"{source} includes {name}"


@pytest.mark.parametrize(
    ("words", "started"),
    [
        ([], "spotsim"),
        (["run", "scenario.toml"], "spotsim run scenario.toml"),
        (["--version"], "spotsim --version"),
        (["spotsim", "--version"], "spotsim --version"),
        (["bash", "-euc", "exec spotsim merge $0", "shards"], "spotsim merge shards"),
    ],
)
def test_the_image_answers_as_the_program_and_runs_the_shells_of_jobs(
    words: list[str], started: str, place: Place
) -> None:
    """The entry point, with a stand-in that says how it was started."""
    stand_in(place, "spotsim", 'echo spotsim "$@"')
    assert run([str(DEPLOY / "entrypoint.sh"), *words], place).strip() == started
