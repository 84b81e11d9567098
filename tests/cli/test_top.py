"""`tickertape top`: the contents of its screen, and as a program on a terminal."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from typing import TYPE_CHECKING

import pytest
from textual.widgets import DataTable, Input, SelectionList, Static

from tests.support.columns import Row, born, switch
from tests.support.command import COMMAND, Command, assert_complaint
from tests.support.patience import HANG_S
from tests.support.row_tapes import row_tape, sent
from tests.support.serving import serving
from tickertape.cli.top_screen import Top
from tickertape.cli.top_source import opened

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

ONE_LOOK_S = 1000.0
"""Update period so long that the screen is updated only at the end."""
HOSTILE = "[red]<b>x"


def rows(count: int = 400) -> list[Row]:
    """Return rows of two threads that take turns; the first one has a quarter of the time."""
    found = [*born(1, 1, "low"), *born(2, 2, HOSTILE)]
    for number in range(count):
        found += [switch(1000 + 400 * number, 2, 1), switch(1100 + 400 * number, 1, 2)]
    return found


def shown(app: Top) -> dict[str, list[str]]:
    """Return the rows of the table by name."""
    table = app.screen_stack[0].query_one(DataTable)
    cells = [[str(cell) for cell in table.get_row_at(row)] for row in range(table.row_count)]
    return {row[0]: row for row in cells}


def head(app: Top) -> str:
    return text_of(app, "#head")


def text_of(app: Top, name: str) -> str:
    return str(app.screen_stack[0].query_one(name, Static).content)


def is_ready(widget: object) -> bool:
    """Return whether a list with a highlighted row has the keyboard focus."""
    return isinstance(widget, SelectionList) and widget.highlighted is not None


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    """Wait until the screen meets a condition."""
    end_s = time.monotonic() + HANG_S
    while not holds():
        assert time.monotonic() < end_s
        await pilot.pause(0.02)


def test_a_tape_is_played_to_its_end(tmp_path: Path) -> None:
    path = row_tape(tmp_path / "T.tape", rows())

    async def use() -> None:
        with opened(str(path), stream=None, speed=1000.0) as source:
            app = Top(source, stream=None, period_s=ONE_LOOK_S)
            async with app.run_test(size=(80, 24)) as pilot:
                await until(pilot, lambda: "ENDED" in head(app) and HOSTILE in shown(app))
                assert "offered" in head(app)
                assert "LOST" not in head(app)
                low, other = shown(app)["low"], shown(app)[HOSTILE]
                assert (low[1], other[1]) == ("1", "2")
                assert (low[5], other[5]) == ("0.001600", "0.004788")
                await pilot.press("slash", "l", "o", "w", "enter")
                assert set(shown(app)) == {"low"}
                await pilot.press("escape", "s", "s")
                assert list(shown(app)) == [HOSTILE, "low"]
                assert app.query_one(Input).value == ""
                await pilot.press("c", "q")
            assert app.failure is None

    asyncio.run(use())


def test_losses_are_a_visible_fact(tmp_path: Path) -> None:
    target = sent(rows())
    data = b"".join(
        frame.data for number, frame in enumerate(target.frames) if number % 9 != 5 or number < 9
    )
    (tmp_path / "link.bin").write_bytes(data)

    async def use() -> None:
        with opened(f"file:{tmp_path / 'link.bin'}", stream=None, speed=1.0) as source:
            app = Top(source, stream=None, period_s=ONE_LOOK_S)
            async with app.run_test(size=(80, 24)) as pilot:
                await until(pilot, lambda: "ENDED" in head(app))
                assert "LOST" in head(app)
                assert " 0 damaged" not in head(app)
                balance = source.balance()
                assert balance is not None
                assert balance.holds
                assert "unknown" in text_of(app, "#cpus")

    asyncio.run(use())


def test_classes_of_a_running_target_are_switched(tickertape: Command, tmp_path: Path) -> None:
    def classes() -> str:
        return tickertape("control", "unix:s", "classes", "--json").stdout

    async def use() -> None:
        before = classes()
        with opened(f"unix:{tmp_path / 's'}", stream=None, speed=1.0) as source:
            app = Top(source, stream=None, period_s=0.1)
            async with app.run_test(size=(100, 30)) as pilot:
                await until(pilot, lambda: len(shown(app)) > 1)
                await pilot.press("c")
                await until(pilot, lambda: is_ready(app.focused))
                await pilot.press("space", "s")  # the first class of the list
                await until(pilot, lambda: classes() != before)
            assert app.failure is None

    with serving(tmp_path, "--socket", "s"):
        asyncio.run(use())


def test_on_a_terminal(tmp_path: Path) -> None:
    row_tape(tmp_path / "T.tape", rows())
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = [str(COMMAND), "top", "T.tape", "--speed", "1000", "--period", "0.1"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"},
    ) as process:
        try:
            seen = b""
            end_s = time.monotonic() + HANG_S
            while b"ENDED" not in seen:
                assert time.monotonic() < end_s, seen[-2000:]
                if select.select([ours], [], [], 0.1)[0]:
                    seen += os.read(ours, 65_536)
            os.write(ours, b"q")
            while process.poll() is None:
                assert time.monotonic() < end_s, seen[-2000:]
                if select.select([ours], [], [], 0.1)[0]:
                    os.read(ours, 65_536)
        finally:
            process.kill()
            os.close(ours)
            os.close(theirs)
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["none.tape"], 2, "needs a terminal"),
        (["T.tape", "--speed", "0"], 2, "above 0"),
        (["T.tape", "--period", "x"], 2, "above 0"),
    ],
)
def test_wrong_use(tickertape: Command, words: list[str], code: int, part: str) -> None:
    assert_complaint(tickertape("top", *words), code, part)
