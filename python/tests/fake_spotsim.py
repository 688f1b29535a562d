"""Stands in for spotsim where a test is about the driver: the same command line, files and exit codes.

The scenario says how it fails: `fail = {"2" = [1, 1]}` ends the first two tries of shard 2 with exit code 1,
"hang" lets a try hang, and "kill" lets it kill the Ray worker that started it.
`tries` is a folder that counts them.
"""

import json
import os
import signal
import sys
import time

try:
    import tomllib
except ImportError:
    import tomli as tomllib
from pathlib import Path


def value(option: str) -> str:
    """Return what follows an option."""
    return sys.argv[sys.argv.index(option) + 1]


def run() -> int:
    """Write a shard, or fail as the scenario wants it."""
    scenario = tomllib.loads(Path(sys.argv[2]).read_text())
    shard, shards = value("--shard").split("/")
    tries = Path(scenario["tries"])
    (tries / f"{shard}.{time.time_ns()}").touch()
    codes = scenario.get("fail", {}).get(shard, [])
    tried = len(list(tries.glob(f"{shard}.*")))
    if tried <= len(codes):
        if codes[tried - 1] == "hang":
            time.sleep(60)
        if codes[tried - 1] == "kill":
            (tries.parent / "scratch").write_text(str(Path.cwd()))
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(60)
        print(f"error: shard {shard} was told to fail", file=sys.stderr)
        return int(codes[tried - 1])
    out = Path(value("--out"))
    out.mkdir(parents=True, exist_ok=True)
    described = {"shard": int(shard), "shards": int(shards), "fingerprint": "f"}
    (out / "shard.json").write_text(json.dumps(described))
    (out / "rows").write_text(shard + Path(sys.argv[2]).parent.joinpath(scenario["file"]).read_text())
    return 0


def merge() -> int:
    """Join the rows of the shards in a folder, in their order."""
    heads = [
        json.loads(path.read_text()) | {"at": path.parent}
        for path in Path(sys.argv[2]).glob("[!.]*/shard.json")
    ]
    heads.sort(key=lambda head: head["shard"])
    if [head["shard"] for head in heads] != list(range(1, heads[0]["shards"] + 1)):
        print("error: shards are missing", file=sys.stderr)
        return 2
    Path(value("--out"), "rows").write_text("".join((head["at"] / "rows").read_text() for head in heads))
    print("merged", len(heads))
    return 0


if sys.argv[1] == "--version":
    print("spotsim 0.0.0")
else:
    sys.exit(merge() if sys.argv[1] == "merge" else run())
