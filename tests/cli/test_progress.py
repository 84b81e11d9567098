"""The live line: on a terminal only, and not with --quiet."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from tests.conftest import COMMAND, target_with_events
from tickertape.analysis.balance import Balance
from tickertape.cli.output import losses
from tickertape.collector import Progress
from tickertape.decode.frames import LinkCounters

if TYPE_CHECKING:
    from pathlib import Path


def stderr_of_capture(tmp_path: Path, *options: str) -> str:
    """Capture for a second from a link that stays open, with a terminal as stderr."""
    ours, theirs = os.openpty()
    read, write = os.pipe()
    os.write(write, target_with_events().sent_bytes())
    seen = bytearray()

    def listen() -> None:
        while True:
            try:
                data = os.read(ours, 1000)
            except OSError:  # the terminal has lost its last user
                return
            seen.extend(data)

    listener = threading.Thread(target=listen)
    listener.start()
    subprocess.run(
        [COMMAND, "capture", "-", "-o", tmp_path / "t.tape", "--duration", "0.8", *options],
        stdin=read,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        check=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    for descriptor in (theirs, read, write):
        os.close(descriptor)
    listener.join()
    os.close(ours)
    return seen.decode()


def test_a_terminal_sees_events_rate_and_losses(tmp_path: Path) -> None:
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stderr_of_capture(tmp_path))
    assert re.search(r"0 s  81 events  [0-9 ]+/s  nothing lost", text), text


def test_quiet_is_quiet(tmp_path: Path) -> None:
    assert stderr_of_capture(tmp_path, "--quiet") == ""


@pytest.mark.parametrize(
    ("balance", "bad_frames", "text"),
    [
        (Balance(), 0, "nothing lost"),
        (Balance(offered=9, delivered=9), 0, "nothing lost"),
        (Balance(offered=3000, dropped=3000), 0, "lost: 3 000 dropped"),
        (
            Balance(offered=9, delivered=3, overwritten=1, dropped=2, damaged=3),
            4,
            "lost: 2 dropped, 1 overwritten, 3 damaged, 4 bad frames",
        ),
    ],
)
def test_losses_are_named(balance: Balance, bad_frames: int, text: str) -> None:
    counters = LinkCounters(bad_frames=bad_frames)
    progress = Progress(1.0, 9, 9.0, 100.0, balance, counters, epoch=0, hello=None)
    assert losses(progress) == text
