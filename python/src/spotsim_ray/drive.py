"""One Ray task a shard, until all shards are complete; then `spotsim merge`."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spotsim_ray.bundle import Bundle, pack
from spotsim_ray.errors import BadInputError
from spotsim_ray.folder import ShardFolder
from spotsim_ray.progress import Printer, Progress

COMMANDS = ("run", "sweep", "sensitivity")
"""Commands of spotsim that take `--shard`."""

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


@dataclass(frozen=True)
class Experiment:
    """An experiment, in how many shards, and where its files go."""

    command: str
    scenario: Path
    shards: int
    out: Path
    options: Sequence[str] = ()
    """Options of spotsim, for each shard."""
    merge_options: Sequence[str] = ()
    """Options of `spotsim merge`: what to print and draw."""
    binary: str = "spotsim"
    """spotsim on this machine, by name or path: it merges, and is sent to the workers."""
    worker_binary: str | None = None
    """spotsim on the workers, by name or path, where it is not to be sent."""
    ship: Sequence[Path] = ()
    """Files and folders that the workers need beside the scenario and the files that it names."""
    retries: int = 3
    """How often a shard is tried again."""
    cpus: int = 1
    """Cores a shard: spotsim's threads, and what Ray sets aside."""


@dataclass(frozen=True)
class Outcome:
    """How a drive ended."""

    code: int
    """Exit code, as spotsim's: 0, 1, 2, 3, 4 or 130."""
    done: int
    """Complete shards, those of an earlier drive included."""
    retried: int
    """Tries after the first, over all shards."""
    failed: dict[int, str] = field(default_factory=dict)
    """Shards that failed for good, and spotsim's or Ray's last words."""


def drive(
    experiment: Experiment,
    *,
    address: str | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Compute the missing shards of an experiment on a Ray cluster and merge them into `experiment.out`.

    `address` is Ray's; by default RAY_ADDRESS, a cluster that runs here, or a new one of this machine's
    cores. A Ray that is already initialised is used as it is. `report` is called after each shard.

    Raises:
        BadInputError: before anything is computed, where something has to be changed by the user.

    """
    binary = _check(experiment)
    bundle = pack(experiment.scenario, experiment.ship)
    folder = ShardFolder(experiment.out / "shards", experiment.shards)
    folder.claim(_question(experiment, binary, bundle))
    tally = Tally(experiment, folder, report if report is not None else Printer())
    if tally.missing:
        try:
            from spotsim_ray import tasks  # imports Ray: bad input and Ctrl-C need not wait for it
        except ModuleNotFoundError as error:
            if error.name != "ray":
                raise
            raise BadInputError("Ray is not installed: `pip install 'spotsim[ray]'` installs it") from error

        with tasks.ray_at(address):
            tasks.compute(experiment, binary, bundle, tally)
    if tally.code is None:
        merge = [binary, "merge", str(folder.path), "--out", str(experiment.out), *experiment.merge_options]
        tally.code = subprocess.run(merge, check=False).returncode
    return tally.outcome()


class Tally:
    """What is done and what is not, told to `report` as it changes."""

    def __init__(
        self, experiment: Experiment, folder: ShardFolder, report: Callable[[Progress], None]
    ) -> None:
        """Look into the folder for shards that an earlier drive completed."""
        self.experiment = experiment
        self.folder = folder
        self.report = report
        self.missing = folder.missing()
        self.done = experiment.shards - len(self.missing)
        self.tries: Counter[int] = Counter()
        self.failed: dict[int, str] = {}
        self.code: int | None = None
        if self.done:
            self.tell(f"{self.done} shards are here from before")

    def tell(self, event: str, notable: bool = False) -> None:
        """Tell what happened, and where things stand."""
        self.report(
            Progress(
                self.experiment.shards, self.done, self.retried(), len(self.failed), event, notable=notable
            )
        )

    def retried(self) -> int:
        """Return the tries after the first."""
        return sum(tries - 1 for tries in self.tries.values())

    def complete(self, shard: int, packed: bytes) -> None:
        """Keep a complete shard's files."""
        self.folder.store(shard, packed)
        self.done += 1
        self.tell(f"shard {shard} is done")

    def may_retry(self, shard: int, reason: str) -> bool:
        """Tell whether a shard that failed is to be tried again; if not, it has failed."""
        tries, retries = self.tries[shard], self.experiment.retries
        if tries <= retries:
            what = f"shard {shard} is tried again ({tries} of {retries})"
            self.tell(f"{what}: {_first_line(reason)}", notable=True)
            return True
        self.fail(shard, reason, 1)
        return False

    def fail(self, shard: int, reason: str, code: int) -> None:
        """Give a shard up; the drive ends with `code`."""
        self.failed[shard] = reason
        self.code = code
        self.tell(f"shard {shard} failed: {reason}", notable=True)

    def outcome(self) -> Outcome:
        """Return how the drive ended."""
        return Outcome(1 if self.code is None else self.code, self.done, self.retried(), self.failed)


def _check(experiment: Experiment) -> str:
    """Return the path of spotsim here, or say what is wrong with the experiment."""
    if experiment.command not in COMMANDS:
        raise BadInputError(f"{experiment.command}: one of {', '.join(COMMANDS)} is wanted")
    least = {
        "shards": (experiment.shards, 1),
        "retries": (experiment.retries, 0),
        "cpus": (experiment.cpus, 1),
    }
    for what, (value, smallest) in least.items():
        if value < smallest:
            raise BadInputError(f"--{what} {value}: must be at least {smallest}")
    ours = {"--out", "--shard", "--threads", "--resume"}
    for option in experiment.options:
        name = option.split("=")[0]
        if name in ours:
            raise BadInputError(f"{option} after --: the driver sets this itself (threads: --cpus)")
        if name in {"--format", "--plots"}:
            raise BadInputError(f"{option} after --: shards show nothing; give it before, for the whole")
    binary = shutil.which(experiment.binary)
    if binary is None:
        raise BadInputError(f"no program {experiment.binary} here: say where spotsim is with --binary")
    return str(Path(binary).absolute())


def _question(experiment: Experiment, binary: str, bundle: Bundle) -> str:
    """Return a digest of all that decides the shards: files, options, their number, spotsim's version."""
    version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False).stdout
    files = [bundle.folder, bundle.scenario, bundle.digest]
    parts = [experiment.command, *experiment.options, str(experiment.shards), *files, version]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else text
