"""A Ray task a shard: the only module here that needs Ray."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError

from spotsim_ray import worker
from spotsim_ray.bundle import Bundle
from spotsim_ray.drive import INTERRUPTED, Experiment, Tally
from spotsim_ray.errors import BadInputError

ANSWERED = (0, 3, 4)
"""Exit codes of a shard that is complete: done, an expectation missed, nothing finished."""

NOT_WORTH_A_RETRY = (2, 3, 4)
"""Exit codes that would be the same again, where the shard is not complete: bad input first of all."""

CANCEL_S = 10.0
"""How long cancelled tasks have to end their spotsim, in seconds."""


@contextmanager
def ray_at(address: str | None) -> Iterator[None]:
    """Connect to a Ray cluster, or start one; a Ray that is already initialised is used and left as it is.

    Raises:
        BadInputError: if there is no cluster at `address`.

    """
    if ray.is_initialized():
        yield
        return
    try:
        ray.init(address=address, logging_level=logging.WARNING, log_to_driver=False)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise BadInputError(f"no Ray cluster: {error}") from error
    try:
        yield
    finally:
        ray.shutdown()


def compute(experiment: Experiment, binary: str, bundle: Bundle, tally: Tally) -> None:
    """Keep a task for each missing shard on the cluster until there is none, or one has failed for all.

    Ray's own retries are off: it would not say when it uses one, and they would not cover exit codes.
    """
    ray.cloudpickle.register_pickle_by_value(worker)  # type: ignore[no-untyped-call] # workers need no package
    task = ray.remote(num_cpus=experiment.cpus, max_retries=0)(worker.run_shard)
    files = ray.put(bundle.files)
    program: Any = experiment.worker_binary or ray.put(Path(binary).read_bytes())
    waiting: dict[ray.ObjectRef[worker.Answer], int] = {}

    def submit(shard: int) -> None:
        tally.tries[shard] += 1
        waiting[task.remote(files, program, bundle.folder, _arguments(experiment, bundle, shard))] = shard

    try:
        for shard in tally.missing:
            submit(shard)
        while waiting:
            (ready,), _ = ray.wait(list(waiting), num_returns=1)
            shard = waiting.pop(ready)
            try:
                code, words, packed = ray.get(ready)
            except RayError as error:
                code, words, packed = 1, f"{type(error).__name__}: {error}", b""
            if code in ANSWERED and packed:
                tally.complete(shard, packed)
            elif code in NOT_WORTH_A_RETRY or code == 0:
                words = words or "spotsim wrote no shard.json: does it know --shard?"
                tally.fail(shard, words, code or 1)
                return
            elif tally.may_retry(shard, words or f"spotsim ended with exit code {code}"):
                submit(shard)
    except KeyboardInterrupt:
        tally.code = INTERRUPTED
        tally.tell("interrupted: complete shards are kept, the same command goes on from here", notable=True)
    finally:
        _cancel(list(waiting))


def _cancel(tasks: list[ray.ObjectRef[worker.Answer]]) -> None:
    """Interrupt tasks, and wait a little for them to end their spotsim."""
    for task in tasks:
        ray.cancel(task)
    if tasks:
        ray.wait(tasks, num_returns=len(tasks), timeout=CANCEL_S)


def _arguments(experiment: Experiment, bundle: Bundle, shard: int) -> list[str]:
    return [
        experiment.command,
        bundle.scenario,
        *experiment.options,
        "--shard",
        f"{shard}/{experiment.shards}",
        "--threads",
        str(experiment.cpus),
    ]
