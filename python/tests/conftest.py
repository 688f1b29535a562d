"""What tests share: a place with a scenario and a stand-in for spotsim, and Ray on this machine."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # before Ray is imported: tests reach no network

import ray

from spotsim_ray import Experiment

HERE = Path(__file__).parent


class Place:
    """A working folder with `scenarios/s.toml`, which names `data/trace.csv`."""

    def __init__(self, path: Path) -> None:
        """Lay the files out; no shard fails."""
        self.path = path
        self.tries = path / "tries"
        for folder in (self.tries, path / "scenarios", path / "data"):
            folder.mkdir()
        (path / "data/trace.csv").write_text("\n")
        self.fake = path / "spotsim"
        self.fake.write_text(f"#!{sys.executable}\n{(HERE / 'fake_spotsim.py').read_text()}")
        self.fake.chmod(0o755)
        self.fail("")

    def fail(self, how: str) -> None:
        """Write the scenario, with a table of how shards fail."""
        text = f'tries = "{self.tries}"\nfile = "../data/trace.csv"\nfail = {{ {how} }}\n'
        (self.path / "scenarios/s.toml").write_text(text)

    def tried(self) -> list[int]:
        """Return the shards that were tried, in order of time."""
        entries = sorted(self.tries.iterdir(), key=lambda entry: entry.suffix)
        return [int(entry.stem) for entry in entries]

    def experiment(self, shards: int, retries: int = 1, options: tuple[str, ...] = ()) -> Experiment:
        """Return an experiment of this place's scenario."""
        return Experiment(
            "run",
            Path("scenarios/s.toml"),
            shards,
            Path("out"),
            options=options,
            binary=str(self.fake),
            retries=retries,
        )


def gone(path: Path) -> bool:
    """Tell whether nothing is at a path, or will be in ten seconds."""
    for _ in range(100):
        if not path.exists():
            return True
        time.sleep(0.1)
    return False


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Make a working folder and go there."""
    monkeypatch.chdir(tmp_path)
    return Place(tmp_path)


@pytest.fixture(scope="session")
def spotsim_program() -> Path:
    """Return the real spotsim: the one that SPOTSIM names, or one built in target/."""
    target = HERE.parent.parent / "target"
    built = [target / "release/spotsim", target / "debug/spotsim"]
    found = (
        [Path(os.environ["SPOTSIM"])]
        if "SPOTSIM" in os.environ
        else [path for path in built if path.exists()]
    )
    if not found:
        pytest.skip("spotsim is not built: cargo build")
    usage = subprocess.run([found[0], "run", "--help"], capture_output=True, text=True, check=True).stdout
    if "--shard" not in usage:
        pytest.skip("this spotsim knows no --shard")
    return found[0].absolute()


@pytest.fixture(scope="module")
def local_ray() -> Iterator[None]:
    """Start Ray on this machine's loopback address, with two workers."""
    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    yield
    ray.shutdown()
