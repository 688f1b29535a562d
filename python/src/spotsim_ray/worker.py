"""What a Ray worker does: one shard, from bytes to bytes.

The driver sends this module with the task, so it uses the standard library only and workers need nothing but
Python and Ray.
"""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

Answer = tuple[int, str, bytes]
"""spotsim's exit code (negative: the signal that ended it), its last words, the shard's folder as a tar.

A plain tuple: a class would travel with the task and be another class to the driver. Without a `shard.json`
the tar is empty.
"""

LAST_WORDS = 4000
"""Bytes of stderr that come back, from its end."""


def run_shard(files: bytes, program: bytes | str, folder: str, arguments: list[str]) -> Answer:
    """Lay out `files`, start spotsim in `folder` among them, and bring back what it wrote.

    `program` is spotsim itself, or its name or path on this machine.
    """
    with tempfile.TemporaryDirectory(prefix="spotsim-ray-") as scratch:
        root, out = Path(scratch, "files"), Path(scratch, "out")
        here = root / folder
        here.mkdir(parents=True)
        with tarfile.open(fileobj=io.BytesIO(files)) as tar:
            tar.extractall(root, filter="data")
        if isinstance(program, bytes):
            Path(scratch, "spotsim").write_bytes(program)
            Path(scratch, "spotsim").chmod(0o700)
            program = str(Path(scratch, "spotsim"))
        try:
            done = subprocess.run(
                [program, *arguments, "--out", str(out)],
                cwd=here,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                preexec_fn=_end_with_worker(),
            )
        except OSError as error:  # not there, or built for another machine: no retry would mend it
            return 2, f"spotsim does not start on a worker: {error}", b""
        words = done.stderr[-LAST_WORDS:].decode(errors="replace").strip()
        return done.returncode, words, _pack(out) if (out / "shard.json").is_file() else b""


def _end_with_worker() -> Callable[[], object] | None:
    """Return what ends a new process when the Ray worker dies, so that no orphan computes on (Linux)."""
    if sys.platform != "linux":
        return None
    import ctypes  # here and not in the new process, which may do little between fork and exec

    prctl = ctypes.CDLL(None).prctl
    set_parent_death_signal = 1  # PR_SET_PDEATHSIG of prctl(2)
    return lambda: prctl(set_parent_death_signal, signal.SIGKILL)


def _pack(folder: Path) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        tar.add(folder, arcname=".")
    return packed.getvalue()
