"""The driver on a cluster of two workers, one of which is killed while it computes."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray
from ray._private.node import Node
from ray.cluster_utils import Cluster

from conftest import HERE, Place, gone
from spotsim_ray import Experiment, Outcome, Progress, drive

SCENARIOS = HERE.parent.parent / "scenarios"
LOOPBACK = "127.0.0.2"
"""Ray takes this address as it is, but puts the machine's outer one in the place of 127.0.0.1."""


@pytest.fixture(scope="module")
def head() -> Iterator[Cluster]:
    """Start a head node without cores on the loopback address. It finds a dead node in 3 s, not 15 s."""
    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 0,
            "node_ip_address": LOOPBACK,
            "include_dashboard": False,
            "_system_config": {"health_check_period_ms": 500},
        },
    )
    ray.init(address=cluster.address, log_to_driver=False, _node_ip_address=LOOPBACK)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def cluster(head: Cluster) -> Cluster:
    """Have two worker nodes of one core, new ones in the place of those that were killed."""
    while len(head.worker_nodes) < 2:
        head.add_node(num_cpus=1, node_ip_address=LOOPBACK)
    return head


class Killer:
    """Kills the node on which the first try of shard 2 hangs, as soon as another shard is done."""

    def __init__(self, cluster: Cluster, place: Place, real: Path) -> None:
        """Write a program that is `real`, but all other shards wait until the first try of shard 2 hangs."""
        self.cluster = cluster
        self.tries = place.path / "tries.txt"
        self.hangs = place.path / "hangs"
        self.done = 0
        self.program = place.path / "hanging"
        self.program.write_text(
            f"""#!/bin/sh
case "$*" in
*"--shard 2/"*)
  echo "$RAY_RAYLET_PID $PWD" >>{self.tries}
  mkdir {self.hangs} 2>/dev/null && exec sleep 120
  ;;
*"--shard "*)
  until test -e {self.hangs}; do sleep 0.1; done
  ;;
esac
exec {real} "$@"
"""
        )
        self.program.chmod(0o755)

    def __call__(self, progress: Progress) -> None:
        """Kill once, and note how many shards were done."""
        if progress.done == 0 or self.done:
            return
        self.done = progress.done
        raylet, _ = self.tried()[0]
        (node,) = (node for node in self.cluster.worker_nodes if raylet_pid(node) == raylet)
        self.cluster.remove_node(node, allow_graceful=False)

    def tried(self) -> list[tuple[int, Path]]:
        """Return the process id of the node and the working folder of each try of shard 2."""
        lines = (line.split(maxsplit=1) for line in self.tries.read_text().splitlines())
        return [(int(node), Path(folder)) for node, folder in lines]

    def check(self) -> None:
        """At the kill a shard of eight was done; shard 2 went to the other node; no files are left."""
        assert self.done == 1
        (killed, left), (other, _) = self.tried()
        assert killed != other
        assert gone(left)


def raylet_pid(node: Node) -> int:
    """Return the id of the process that is a node."""
    (raylet,) = node.all_processes["raylet"]
    return raylet.process.pid


def test_a_killed_worker_costs_a_retry_and_nothing_else(cluster: Cluster, place: Place) -> None:
    """Shard 2 hangs on a node that is killed; it is computed anew on the other one."""
    killer = Killer(cluster, place, place.fake)
    experiment = Experiment("run", Path("scenarios/s.toml"), 8, Path("out"), binary=str(killer.program))
    assert drive(experiment, report=killer) == Outcome(0, 8, 1)
    killer.check()
    assert Path("out/rows").read_text().split() == [str(shard) for shard in range(1, 9)]


@pytest.mark.parametrize(
    ("command", "scenario", "options"),
    [
        ("run", "smallest.toml", ["--replications", "20000", "--seed", "7"]),
        ("sweep", "sweep-g5.toml", ["--replications", "40", "--seed", "7"]),
        ("sensitivity", "sensitivity-g5.toml", ["--replications", "40", "--samples", "4", "--seed", "7"]),
    ],
    ids=["run", "sweep", "sensitivity"],
)
def test_merged_shards_are_the_unsharded_answer(
    cluster: Cluster, place: Place, spotsim_program: Path, command: str, scenario: str, options: list[str]
) -> None:
    """All files are the same bytes, but for manifest.json, though a worker was killed."""
    file = Path("scenarios/real.toml")
    shutil.copy(SCENARIOS / scenario, file)
    alone = [spotsim_program, command, file, *options, "--out", "alone"]
    subprocess.run(alone, check=True, stdout=subprocess.DEVNULL)
    killer = Killer(cluster, place, spotsim_program)
    experiment = Experiment(command, file, 8, Path("out"), options=options, binary=str(killer.program))
    assert drive(experiment, report=killer) == Outcome(0, 8, 1)
    killer.check()
    shutil.rmtree("out/shards")
    whole = files(Path("alone"))
    assert "summary.json" in whole
    assert files(Path("out")) == whole


def files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files but manifest.json, by name."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}
