"""The live line: on a terminal only, and not with --quiet."""

from __future__ import annotations

import os
import random
import re
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from tests.support.command import COMMAND
from tests.support.drifting import record
from tests.support.target import target_with_events
from tickertape.analysis.balance import Balance
from tickertape.cli.output import losses
from tickertape.collector import Progress
from tickertape.decode.frames import LinkCounters

if TYPE_CHECKING:
    from pathlib import Path


def stderr_of_capture(tmp_path: Path, *options: str) -> str:
    """Capture for a second from a link that stays open, with a terminal as stderr."""
    read, write = os.pipe()
    os.write(write, target_with_events().sent_bytes())
    words = ["capture", "-", "-o", str(tmp_path / "t.tape"), "--duration", "0.8", *options]
    seen = stderr_of(tmp_path, words, read)
    for descriptor in (read, write):
        os.close(descriptor)
    return seen


def stderr_of(folder: Path, words: list[str], stdin: int = subprocess.DEVNULL) -> str:
    """Run a command with a terminal as stderr and a file as stdout."""
    ours, theirs = os.openpty()
    seen = bytearray()

    def listen() -> None:
        while True:
            try:
                data = os.read(ours, 1000)
            except OSError:  # the last user of the terminal has closed it
                return
            seen.extend(data)

    listener = threading.Thread(target=listen)
    listener.start()
    with (folder / "stdout.txt").open("wb") as stdout:
        subprocess.run(
            [COMMAND, *words],
            cwd=folder,
            stdin=stdin,
            stdout=stdout,
            stderr=theirs,
            check=True,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        )
    os.close(theirs)
    listener.join()
    os.close(ours)
    return seen.decode()


def test_a_terminal_sees_events_rate_and_losses(tmp_path: Path) -> None:
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stderr_of_capture(tmp_path))
    assert re.search(r"0 s  81 events  [0-9 ]+/s  nothing lost", text), text


def test_what_reads_tapes_says_rate_and_time_left(tmp_path: Path) -> None:
    """On a terminal; `print` reports progress only if it takes some time."""
    rng = random.Random(1)
    for name in ("a", "b"):
        record(tmp_path / f"{name}.tape", rng)
    for words, what in (
        (["repair", "a.tape", "-o", "x.tape"], "KiB"),
        (["cut", "a.tape", "--from", "0", "-o", "x.tape"], "chunks"),
        (["merge", "a.tape", "b.tape", "-o", "x.tape"], "KiB"),
        (["export", "kev", "a.tape", "-o", "x.kev"], "events"),
    ):
        text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stderr_of(tmp_path, words))
        assert re.search(rf"[0-9]+ {what}  [0-9 ]+/s", text), (words, text)
        assert stderr_of(tmp_path, [*words, "--quiet"]) == ""
    assert stderr_of(tmp_path, ["print", "a.tape"]) == ""


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
