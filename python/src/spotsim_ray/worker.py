"""What a Ray worker does: one shard, from bytes to bytes.

The driver sends this module with the task, so it uses the standard library only and workers need nothing but
Python and Ray.
"""

from __future__ import annotations

import io
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Answer = tuple[int, str, bytes]
"""spotsim's exit code (negative: the signal that ended it), its last words, the shard's folder as a tar.

A plain tuple: a class would travel with the task and be another class to the driver. Without a `shard.json`
the tar is empty.
"""

LAST_WORDS = 4000
"""Bytes of stderr that come back, from its end."""

TURN_S = 0.5
"""How soon a cancelled task notices, in seconds."""


def run_shard(files: bytes, program: bytes | str, folder: str, arguments: list[str]) -> Answer:
    """Lay out `files`, start spotsim in `folder` among them, and bring back what it wrote.

    `program` is spotsim itself, or its name or path on this machine.
    """
    try:
        with _scratch() as scratch:
            return _run_in(scratch, files, program, folder, arguments)
    except (OSError, tarfile.TarError) as error:  # a full disk, say
        return 1, f"{type(error).__name__} on a worker: {error}", b""


def _run_in(scratch: Path, files: bytes, program: bytes | str, folder: str, arguments: list[str]) -> Answer:
    root, out = scratch / "files", scratch / "out"
    here = root / folder
    here.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(files)) as tar:
        tar.extractall(root, filter="data")
    if isinstance(program, bytes):
        sent = scratch / "spotsim"
        sent.write_bytes(program)
        sent.chmod(0o700)
        program = str(sent)
    try:
        code, stderr = _run([program, *arguments, "--out", str(out)], here)
    except OSError as error:  # not there, or built for another machine: no retry would mend it
        return 2, f"spotsim does not start on a worker: {error}", b""
    words = stderr[-LAST_WORDS:].decode(errors="replace").strip()
    return code, words, _pack(out) if (out / "shard.json").is_file() else b""


REMOVE = """
exec 3<&0
{ read -r _ <&3; rm -rf "$1" || { sleep 1; rm -rf "$1"; }; } &
"""
"""Shell that leaves a process behind, which waits for the end of stdin and then removes a folder.

Ray kills the children of a worker that ends; this one is nobody's child.
"""


@contextmanager
def _scratch() -> Iterator[Path]:
    """Make a folder for a while; it goes too should this worker be killed, which leaves Python no time.

    Who removes it is there first, so that no moment is left in which a cancelled task would leave it behind.
    """
    folder = Path(tempfile.gettempdir(), f"spotsim-ray-{uuid.uuid4().hex}")
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        ["/bin/sh", "-c", REMOVE, "sh", folder],
        stdin=subprocess.PIPE,  # ended by this function, or by the death of the worker
        stdout=quiet,
        stderr=quiet,
        start_new_session=True,
    ):
        try:
            folder.mkdir(mode=0o700)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _run(command: list[str], here: Path) -> tuple[int, bytes]:
    """Run a command in a folder; return its exit code and stderr. Kill it if this task is cancelled.

    Ray cancels with an exception that reaches Python code only, no system call that waits: so wait in turns.
    """
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=here, stdin=quiet, stdout=quiet, stderr=subprocess.PIPE, preexec_fn=_end_with_worker()
    ) as process:
        try:
            while True:
                try:
                    _, stderr = process.communicate(timeout=TURN_S)
                except subprocess.TimeoutExpired:
                    continue
                return process.returncode, stderr
        except BaseException:
            process.kill()
            raise


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
