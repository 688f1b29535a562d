"""The driver on a cluster of two workers, one of which is killed while it computes."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray
from ray._private.node import Node
from ray.cluster_utils import Cluster

from conftest import HERE, Place
from spotsim_ray import Experiment, Outcome, Progress, drive

SCENARIO = HERE.parent.parent / "scenarios/smallest.toml"
LOOPBACK = "127.0.0.2"
"""Ray takes this address as it is, but puts the machine's outer one in the place of 127.0.0.1."""


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """Start a head node without cores and two worker nodes of one core, all on the loopback address."""
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "node_ip_address": LOOPBACK, "include_dashboard": False},
    )
    for _ in range(2):
        cluster.add_node(num_cpus=1, node_ip_address=LOOPBACK)
    ray.init(address=cluster.address, log_to_driver=False, _node_ip_address=LOOPBACK)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


class Killer:
    """Kills the node on which the first try of a shard hangs, as soon as another shard is done."""

    def __init__(self, cluster: Cluster, node_file: Path) -> None:
        """Wait for `node_file`, in which that try writes the process id of its node."""
        self.cluster = cluster
        self.node_file = node_file
        self.killed = False

    def __call__(self, progress: Progress) -> None:
        """Kill once."""
        if self.killed or not self.node_file.exists():
            return
        raylet = int(self.node_file.read_text())
        (node,) = (node for node in self.cluster.worker_nodes if raylet_pid(node) == raylet)
        self.cluster.remove_node(node, allow_graceful=False)
        self.killed = True


def raylet_pid(node: Node) -> int:
    """Return the id of the process that is a node."""
    (raylet,) = node.all_processes["raylet"]
    return raylet.process.pid


def hanging(place: Place, real: Path) -> tuple[Path, Path]:
    """Return a program that is `real` but hangs on its first try of shard 2, and its node's file."""
    node_file = place.path / "node"
    program = place.path / "hanging"
    program.write_text(
        f"""#!/bin/sh
case "$*" in
*"--shard 2/"*) if ! test -e {node_file}; then
    echo "$RAY_RAYLET_PID" >{node_file}.new && mv {node_file}.new {node_file}
    exec sleep 120
  fi ;;
esac
exec {real} "$@"
"""
    )
    program.chmod(0o755)
    return program, node_file


def test_a_killed_worker_costs_a_retry_and_nothing_else(cluster: Cluster, place: Place) -> None:
    """Shard 2 hangs on a node that is killed; it is computed anew on the other one."""
    program, node_file = hanging(place, place.fake)
    killer = Killer(cluster, node_file)
    experiment = Experiment("run", Path("scenarios/s.toml"), 8, Path("out"), binary=str(program))
    assert drive(experiment, report=killer) == Outcome(0, 8, 1)
    assert killer.killed
    assert Path("out/rows").read_text().split() == [str(shard) for shard in range(1, 9)]


@pytest.mark.parametrize("command", ["run"])
def test_merged_shards_are_the_unsharded_answer(
    cluster: Cluster, place: Place, spotsim: Path, command: str
) -> None:
    """All files are the same bytes, but for manifest.json, though a worker was killed."""
    scenario = Path("scenarios/real.toml")
    shutil.copy(SCENARIO, scenario)
    options = ("--replications", "20000", "--seed", "7")
    alone = [spotsim, command, scenario, *options, "--out", "alone"]
    subprocess.run(alone, check=True, stdout=subprocess.DEVNULL)
    program, node_file = hanging(place, spotsim)
    killer = Killer(cluster, node_file)
    experiment = Experiment(command, scenario, 8, Path("out"), options=options, binary=str(program))
    assert drive(experiment, report=killer) == Outcome(0, 8, 1)
    shutil.rmtree("out/shards")
    assert files(Path("out")) == files(Path("alone"))


def files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files but manifest.json, by name."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}
