"""Measure the page of `tickertape view` in headless Chromium: time to open, frames, memory.

Times are wall-clock times from the start of the command to rows on the screen, with a browser that
already runs. Without Chromium or playwright nothing is measured.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tools.bench.mix import services, write_tape
from tools.bench.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIZES: Final = {"10m": 10_000_000, "100m": 100_000_000}
_RUNS: Final = 3
_COMMAND: Final = Path(sys.executable).with_name("tickertape")
_MB: Final = 1_000_000
_US_A_MS: Final = 1000
_PATIENCE_MS: Final = 600_000
_STEPS: Final = 60
_TRACED: Final = ("devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel")


def measure(folder: Path) -> list[Result]:
    """Measure with temporary tapes in `folder`."""
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - for tests only
    except ImportError:
        return []
    if chromium is None:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    found: list[Result] = []
    with sync_playwright() as playwright:
        # Without the sandbox, which root may not use; the page is our own.
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for size, records in _SIZES.items():
            tape = folder / f"view_{size}.tape"
            events = write_tape(tape, records, services())
            found += _opened(browser, tape, size, f"{events} simple events, page cache")
            if size == next(iter(_SIZES)):
                found.append(_perfetto(browser, tape, f"{events} simple events, page cache"))
            tape.unlink()
        browser.close()
    return found


def _opened(browser: Any, tape: Path, size: str, how: str) -> list[Result]:  # noqa: ANN401
    """Open a tape without an index and navigate in it; return the best of `_RUNS` runs."""
    runs = [_once(browser, tape) for _ in range(_RUNS)]
    started = min(run[4] for run in runs)
    usable, complete = min(run[0] for run in runs), min(run[1] for run in runs)
    how = f"{how}, best of {_RUNS} runs, on the wall"
    found = [
        Result(f"view_open_{size}_s", usable, f"to rows of a sample; {how}"),
        Result(f"view_complete_{size}_s", complete, f"to rows of all events; {how}"),
    ]
    if size == next(iter(_SIZES)):
        what = "processor time of the command until it prints its address"
        found.append(Result("view_start_cpu_s", started, f"{what}; {how}"))
        frames = np.concatenate([run[2] for run in runs])
        p95 = float(np.percentile(frames, 95))
        work = f"processor time of the page's main thread per frame, {len(frames)} frames"
        found.append(Result("view_frame_p95_ms", p95, f"panning and zooming at all levels; {work}"))
    memory = max(run[3] for run in runs)
    return [*found, Result(f"view_page{'' if size == '10m' else '_' + size}_mb", memory, how)]


def _once(browser: Any, tape: Path) -> tuple[float, float, np.ndarray, float, float]:  # noqa: ANN401
    """Measure one run.

    Returns:
        Seconds until the page is usable, and until it is complete; ms of each frame; MB of the
        page; seconds of processor time of the command until it serves.
    """
    with tempfile.TemporaryDirectory(dir=tape.parent) as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(_PATIENCE_MS)
        started = time.perf_counter()
        command = [str(_COMMAND), "view", str(tape), "--no-open", "--quiet"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as view:
            try:
                assert view.stdout is not None  # noqa: S101 - it is a pipe
                address = view.stdout.readline().split()[1]
                to_serve = _processor_seconds(view.pid)
                page.goto(address)
                page.wait_for_selector("body[data-drawn]")
                usable = time.perf_counter() - started
                page.wait_for_selector("body[data-complete][data-drawn]")
                complete = time.perf_counter() - started
                frames = _frames(browser, page)
                memory = _memory(page)
            finally:
                page.close()
                view.terminate()
    return usable, complete, frames, memory, to_serve


def _perfetto(browser: Any, tape: Path, how: str) -> Result:  # noqa: ANN401 - of playwright
    """Open a tape in Perfetto's interface, once."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(_PATIENCE_MS)
    started = time.perf_counter()
    command = [str(_COMMAND), "view", "--perfetto", str(tape), "--no-open", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as view:
        try:
            assert view.stdout is not None  # noqa: S101 - it is a pipe
            page.goto(view.stdout.readline().split()[1])
            page.locator(".pf-track").filter(has_text="Tasks").last.wait_for()
            seconds = time.perf_counter() - started
        finally:
            page.close()
            view.terminate()
    return Result("view_perfetto_10m_s", seconds, f"export, and rows in its page; {how}, one run")


def _frames(browser: Any, page: Any) -> np.ndarray:  # noqa: ANN401 - of playwright
    """Pan and zoom from the whole tape to a few intervals and back; return ms of work per frame."""
    page.locator("#chart").focus()
    browser.start_tracing(page=page, categories=list(_TRACED))
    for key in ("+", "-"):
        for _ in range(_STEPS // 2):
            for one in (key, "ArrowRight"):
                page.keyboard.press(one)
                page.evaluate("() => new Promise(requestAnimationFrame)")
    events = json.loads(browser.stop_tracing())["traceEvents"]
    return np.array(list(_work(events)))


def _work(events: list[dict[str, Any]]) -> Iterator[float]:
    """Yield the processor time of the main thread's tasks from frame to frame, in ms."""
    main = {(one["pid"], one["tid"]) for one in events if one["name"] == "FireAnimationFrame"}
    mine = [one for one in events if (one.get("pid"), one.get("tid")) in main]
    commits = sorted(one["ts"] for one in mine if one["name"] == "BeginCommitCompositorFrame")
    tasks = [(one["ts"], one["tdur"]) for one in mine if one["name"] == "RunTask" and "tdur" in one]
    for begin, end in pairwise(commits):
        yield sum(length for at, length in tasks if begin <= at < end) / _US_A_MS


def _processor_seconds(pid: int) -> float:
    """Return the processor time of a process so far, in seconds; Linux only."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def _memory(page: Any) -> float:  # noqa: ANN401 - of playwright
    """Return heap and buffers of the page after a garbage collection, in MB."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    found = session.send("Runtime.getHeapUsage")
    names = ("usedSize", "embedderHeapUsedSize", "backingStorageSize")
    return float(sum(found.get(name, 0) for name in names)) / _MB
