"""Measure a live capture at 12 Mbaud: share of a core of the whole command, without a loss.

A separate process feeds the frames of a target to a pseudo terminal at that rate, and reports its
largest delay: if it exceeded the buffer of a driver, a real line would have lost bytes.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import termios
import time
import tty
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader
from tools.bench.live_stream import BYTES_PER_S, write_stream
from tools.bench.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS: Final = 10.0
_PIECE_S: Final = 0.002
_DEADLINE_S: Final = 20.0
_DRAIN_S: Final = 1.0
_COMMAND: Final = Path(sys.executable).with_name("tickertape")


def measure(folder: Path) -> list[Result]:
    """Measure packed and raw buffers, with files in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        _measured("live_core_share", folder, raw=False),
        _measured("live_raw_core_share", folder, raw=True),
    ]


def _measured(key: str, folder: Path, *, raw: bool) -> Result:
    stream, tape = folder / "live.bytes", folder / "live.tape"
    records = write_stream(stream, _SECONDS, raw=raw)
    used_s, late_s = _captured(stream, tape)
    streamed_s = stream.stat().st_size / BYTES_PER_S
    with TapeReader(tape) as reader:
        balance = balance_of(reader, by_class=False)
        if not balance.final or balance.total.lost or balance.total.offered != records:
            raise AssertionError(balance)
    stream.unlink()
    tape.unlink()
    how = (
        f"{records} records of the standard mix, {'raw' if raw else 'packed'}, {streamed_s:.1f} s "
        f"of 1.2 MB/s over a pseudo terminal, nothing lost, the feeder at most "
        f"{late_s * 1e3:.0f} ms late; processor time of the whole command with start and summary"
    )
    return Result(key, used_s / streamed_s, how)


def _captured(stream: Path, tape: Path) -> tuple[float, float]:
    """Capture; return processor time and the largest delay of the feeder, in seconds."""
    ours, theirs = os.openpty()
    tty.setraw(theirs, termios.TCSANOW)
    command = [str(_COMMAND), "capture", os.ttyname(theirs), "-o", str(tape), "--quiet"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    capture = subprocess.Popen(command)
    _wait_until_open(capture.pid, os.ttyname(theirs))
    os.close(theirs)
    feeder = subprocess.Popen(
        [sys.executable, "-m", "tools.bench.live", str(stream), str(ours)],
        pass_fds=[ours],
        stdout=subprocess.PIPE,
        text=True,
    )
    os.close(ours)
    code = capture.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    late_s = float(json.loads(feeder.communicate()[0]))
    if code or feeder.returncode:
        raise RuntimeError(code, feeder.returncode)
    return used_s, late_s


def _wait_until_open(process: int, device: str) -> None:
    """Wait until a process has opened a device, and 0.2 s more until it has configured it."""
    deadline_s = time.monotonic() + _DEADLINE_S
    while device not in _open_files(process):
        if time.monotonic() > deadline_s:
            raise TimeoutError(device)
        time.sleep(0.01)
    time.sleep(0.2)


def _open_files(process: int) -> Iterator[str]:
    for link in Path(f"/proc/{process}/fd").iterdir():
        try:
            yield str(link.readlink())
        except OSError:  # closed in the meantime
            continue


def main() -> None:
    """Feed a file to a descriptor at the rate of the line; print the largest delay in seconds."""
    data, descriptor = Path(sys.argv[1]).read_bytes(), int(sys.argv[2])
    began, late_s = time.monotonic(), 0.0
    done = 0
    while done < len(data):
        due = int((time.monotonic() - began) * BYTES_PER_S)
        if due > done:
            done += os.write(descriptor, data[done : min(due, len(data))])
            late_s = max(late_s, time.monotonic() - began - done / BYTES_PER_S)
        time.sleep(_PIECE_S)
    time.sleep(_DRAIN_S)  # closing the terminal discards unread bytes
    os.close(descriptor)
    print(json.dumps(late_s))


if __name__ == "__main__":
    main()
