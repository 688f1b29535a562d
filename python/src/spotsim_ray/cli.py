"""The command `spotsim-ray`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from spotsim_ray.drive import COMMANDS, INTERRUPTED, Experiment, drive
from spotsim_ray.errors import BadInputError

FAILED, BAD_INPUT = 1, 2
"""Exit codes, as spotsim's: failed while running, and bad input or a wrong command line."""


def script() -> None:
    """Run the command line of this process and leave with its exit code."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: Sequence[str]) -> int:
    """Run a command line and return the exit code: spotsim's own, or 130 after Ctrl-C."""
    before, options = _split(list(arguments))
    given = _parser().parse_args(before)
    experiment = Experiment(
        command=given.command,
        scenario=given.scenario,
        shards=given.shards,
        out=given.out,
        options=options,
        merge_options=_given({"--format": given.format, "--plots": given.plots}),
        binary=given.binary,
        worker_binary=given.worker_binary,
        ship=given.ship,
        retries=given.retries,
        cpus=given.cpus,
    )
    try:
        outcome = drive(experiment, address=given.address)
    except BadInputError as error:
        print(f"spotsim-ray: {error}", file=sys.stderr)
        return BAD_INPUT
    except OSError as error:
        print(f"spotsim-ray: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("spotsim-ray: interrupted: the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    if outcome.failed and outcome.code != BAD_INPUT:
        failed = ", ".join(map(str, sorted(outcome.failed)))
        print(f"spotsim-ray: failed: {failed}. The same command tries these alone again.", file=sys.stderr)
    return outcome.code


def _given(options: dict[str, str | None]) -> list[str]:
    """Return the options that have a value, as they stand on a command line."""
    return [part for name, value in options.items() if value is not None for part in (name, value)]


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Return what stands before the first `--`, and what stands after it."""
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="spotsim-ray",
        description="Spread a spotsim experiment over a Ray cluster, a shard a task, and merge the shards.",
        epilog="What follows -- are options of spotsim, for each shard: -- --replications 1000000 --seed 7",
    )
    add = parser.add_argument
    add("command", choices=COMMANDS, help="command of spotsim")
    add("scenario", type=Path, help="the scenario, a TOML file")
    add("--shards", type=int, required=True, metavar="N", help="into how many parts")
    add(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="folder of the answer; shards are kept in shards/",
    )
    add(
        "--binary",
        default="spotsim",
        metavar="PATH",
        help="spotsim here, by default `spotsim`; it is sent to the workers",
    )
    add("--worker-binary", metavar="PATH", help="spotsim on the workers: nothing is sent")
    add(
        "--ship",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="a further file or folder for workers",
    )
    add("--address", help="Ray cluster; by default RAY_ADDRESS, one that runs here, or this machine alone")
    add("--retries", type=int, default=3, metavar="N", help="how often a shard is tried again, by default 3")
    add("--cpus", type=int, default=1, metavar="N", help="cores a shard, by default 1")
    add("--format", choices=("table", "json", "csv"), help="what to print, by default a table")
    add("--plots", metavar="KINDS", help="kinds of picture of the whole, by default svg,png; `none` for none")
    return parser
