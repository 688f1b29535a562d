"""Clocks, power and versions, read and never changed."""

from __future__ import annotations

import ctypes
import platform
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

QUERIES = {
    "clocks.sm": "clock_mhz",
    "clocks.mem": "memory_clock_mhz",
    "power.draw": "power_w",
    "power.limit": "power_limit_w",
    "temperature.gpu": "temperature_c",
    "utilization.gpu": "busy_percent",
}
"""What nvidia-smi is asked, and the names that results have here."""


def read(device: int = 0) -> dict[str, float | None] | None:
    """Return what the GPU's sensors say now, None for each that cannot be read; None without nvidia-smi."""
    line = _ask(",".join(QUERIES), device)
    return parse(line) if line is not None else None


def parse(line: str) -> dict[str, float | None]:
    """Return the sensors of one line of nvidia-smi's CSV; `[N/A]` and the like are None."""
    found: dict[str, float | None] = {}
    for name, text in zip(QUERIES.values(), line.split(","), strict=False):
        try:
            found[name] = float(text)
        except ValueError:
            found[name] = None
    return found


def under_load(work: Callable[[], None]) -> dict[str, float | None] | None:
    """Return what the sensors say while `work` is called again and again."""
    answer: list[dict[str, float | None] | None] = [None]
    reader = threading.Thread(target=lambda: answer.__setitem__(0, read()))
    reader.start()
    while reader.is_alive():
        work()
    return answer[0]


def versions(torch: Any, timm: Any | None, device: str) -> dict[str, Any]:
    """Return every version that a timing hangs on; None where there is none."""
    found = {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "timm": None if timm is None else timm.__version__,
        "cuda": torch.version.cuda,
    }
    if device == "cpu":
        return found
    return found | {
        "cudnn": torch.backends.cudnn.version(),
        "cublas": _cublas(),
        "driver": _ask("driver_version", 0),
    }


def _cublas() -> dict[str, str] | None:
    """Return path and version of the cuBLAS that this process has loaded."""
    try:
        maps = Path("/proc/self/maps").read_text()
        path = next(line.split()[-1] for line in maps.splitlines() if "libcublas.so" in line)
        library, parts = ctypes.CDLL(path), []
        for which in range(3):  # MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL of libraryPropertyType
            value = ctypes.c_int()
            if library.cublasGetProperty(which, ctypes.byref(value)) != 0:
                return {"path": path, "version": "unknown"}
            parts.append(str(value.value))
    except (OSError, StopIteration, AttributeError):
        return None
    return {"path": path, "version": ".".join(parts)}


def _ask(query: str, device: int) -> str | None:
    command = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader,nounits", f"--id={device}"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return None
    lines = answer.stdout.strip().splitlines()
    return lines[0].strip() if lines else None
