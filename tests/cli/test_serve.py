"""`tickertape serve` as a user types it: several programs share a running target."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.command import COMMAND, Command, assert_complaint
from tests.support.serving import serving
from tickertape.analysis.balance import balance_of
from tickertape.broker import default_path
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

WAIT_S = 100.0
ENOUGH_BYTES = 1 << 18


def test_programs_share_a_target(tickertape: Command, tmp_path: Path) -> None:
    with serving(tmp_path, "--socket", "unix:s", "--tcp", "0", "-o", "t.tape") as process:
        captures = [
            subprocess.Popen(
                [COMMAND, "capture", "unix:s", "-o", f"{number}.tape", "-q"], cwd=tmp_path
            )
            for number in range(3)
        ]
        while any(
            not (tmp_path / f"{number}.tape").exists()
            or (tmp_path / f"{number}.tape").stat().st_size < ENOUGH_BYTES
            for number in range(3)
        ):
            assert process.poll() is None
            assert all(capture.poll() is None for capture in captures)
        done = tickertape("control", "unix:s", "insert", "7", "hello")
        assert (done.returncode, done.stdout) == (0, "insert USER.USER_7: done\n")
        assert tickertape("control", "unix:s", "stop").returncode == 0
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=WAIT_S)
        assert (process.returncode, err) == (0, "")
        assert out.startswith("t.tape: ")
        assert [capture.wait(WAIT_S) for capture in captures] == [0, 0, 0]
    assert not (tmp_path / "s").exists()
    for name in ("t", "0", "1", "2"):
        with TapeReader(tmp_path / f"{name}.tape") as reader:
            balance = balance_of(reader)
        assert balance.contradictions == ()
        assert balance.total.holds
        assert balance.total.damaged == 0


def test_a_socket_that_a_dead_broker_left_is_replaced(tickertape: Command, tmp_path: Path) -> None:
    with serving(tmp_path, "--socket", "s") as process:
        assert_complaint(tickertape("serve", "--target", "qemu", "--socket", "s"), 3)
        process.kill()
        process.wait(WAIT_S)
    assert (tmp_path / "s").exists()
    with serving(tmp_path, "--socket", "s") as process:
        assert tickertape("control", "unix:s", "status").returncode == 0
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=WAIT_S)
    assert (process.returncode, err) == (0, "")
    assert out.startswith("no tape: ")
    assert not (tmp_path / "s").exists()


def test_where_it_listens_unless_told_otherwise(tmp_path: Path) -> None:
    with serving(tmp_path, XDG_RUNTIME_DIR=str(tmp_path)):
        assert (tmp_path / "tickertape.sock").is_socket()
    assert default_path({}).name == f"tickertape-{os.getuid()}.sock"


def test_the_target_is_gone(tickertape: Command, tmp_path: Path) -> None:
    """The end of the link is a normal end; the result is reported."""
    (tmp_path / "bytes").write_bytes(b"x")
    assert_complaint(tickertape("serve", "bytes", "--socket", "s"), 3)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], 2),
        (["/dev/none", "--target", "native"], 2),
        (["/dev/none"], 3),
        (["--target", "native", "--tcp", "65536"], 2),
        (["--target", "native", "--tcp", "x"], 2),
        (["--target", "native", "--queue", "1"], 2),
        (["--target", "native", "--rotate-size", "1M"], 2),
        (["--target", "native", "--socket", "x" * 200], 2),
        (["--target", "native", "--socket", "."], 3),
        (["--target", "native", "--socket", "none/s"], 3),
        (["--target", "native", "--example", "none"], 6),
    ],
)
def test_what_cannot_be(tickertape: Command, words: list[str], code: int) -> None:
    assert_complaint(tickertape("serve", *words), code)
