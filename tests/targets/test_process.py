"""A process at a link: its end, its failures, and no remaining process."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tickertape.errors import TargetError
from tickertape.targets import QemuTarget, process
from tickertape.targets.base import Image
from tickertape.targets.process import ProcessRun

if TYPE_CHECKING:
    from pathlib import Path

CONNECT = """
import socket, sys, time
link = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
"""


def start(tmp_path: Path, body: str) -> ProcessRun:
    def command(port: int) -> list[str]:
        return [sys.executable, "-c", CONNECT + body, str(port)]

    return ProcessRun("the program", command, tmp_path / "console.txt")


def read_all(run: ProcessRun) -> bytes:
    data = b""
    while not run.link.at_end:
        data += run.link.read(1000, 5.0)
    return data


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_everything_that_was_sent_arrives(tmp_path: Path) -> None:
    with start(tmp_path, "link.sendall(b'x' * 500_000); link.close()") as run:
        assert read_all(run) == b"x" * 500_000
        run.finish()


def test_commands_reach_it(tmp_path: Path) -> None:
    with start(tmp_path, "link.sendall(link.recv(4)[::-1])") as run:
        run.link.write(b"abcd")
        assert read_all(run) == b"dcba"


def test_a_failure_at_the_end_is_told_with_its_last_words(tmp_path: Path) -> None:
    body = "link.close(); print('panic: the stack is full\\n'); sys.exit(70)"
    with start(tmp_path, body) as run:
        read_all(run)
        with pytest.raises(TargetError) as caught:
            run.finish()
    assert caught.value.problem == "the program ended with code 70: panic: the stack is full"
    assert caught.value.advice == f"see what it printed in {tmp_path}/console.txt"


def test_an_emulators_reason_comes_before_its_registers(tmp_path: Path) -> None:
    body = "link.close(); print('qemu: fatal: Lockup\\n\\nR00=0\\nFPSCR: 0'); sys.exit(1)"
    with start(tmp_path, body) as run:
        read_all(run)
        with pytest.raises(TargetError, match=r"ended with code 1: qemu: fatal: Lockup; see"):
            run.finish()


def test_a_failure_before_it_connects(tmp_path: Path) -> None:
    def command(_port: int) -> list[str]:
        return [sys.executable, "-c", "raise SystemExit('wrong board')"]

    with pytest.raises(TargetError, match="code 1: wrong board"):
        ProcessRun("the program", command, tmp_path / "console.txt")


def test_it_may_die_without_a_word(tmp_path: Path) -> None:
    with start(tmp_path, "import os; os.abort()") as run:
        read_all(run)
        with pytest.raises(TargetError, match="no message"):
            run.finish()


def test_what_never_connects_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_CONNECT_S", 0.3)
    pids = tmp_path / "pid"

    def command(_port: int) -> list[str]:
        code = (
            f"import os, time; open({str(pids)!r}, 'w').write(str(os.getpid())); time.sleep(1000)"
        )
        return [sys.executable, "-c", code]

    with pytest.raises(TargetError, match="did not connect"):
        ProcessRun("the program", command, tmp_path / "console.txt")
    assert not pids.exists() or not is_alive(int(pids.read_text()))


def test_what_does_not_end_is_told_and_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_END_S", 0.2)
    monkeypatch.setattr(process, "_STOP_S", 0.2)
    body = "import signal; signal.signal(15, signal.SIG_IGN); link.sendall(b'!'); time.sleep(1000)"
    started = time.monotonic()
    with start(tmp_path, body) as run:
        assert run.link.read(1, 100.0) == b"!"
        with pytest.raises(TargetError, match="still runs"):
            run.finish()
    assert time.monotonic() - started < 500


@pytest.mark.parametrize("datagrams", [False, True])
def test_a_program_that_is_not_there(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    datagrams: bool,  # noqa: FBT001 - a parameter
) -> None:
    monkeypatch.setattr(process, "tied_to_us", list)
    log = tmp_path / "console.txt"
    with pytest.raises(TargetError, match="cannot start nothing"):
        ProcessRun("nothing", lambda _port: ["/no/such/program"], log, datagrams=datagrams)


def test_qemu_that_is_missing_ends_in_the_command_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    image = Image("first_tape", "mps2-an386", tmp_path / "first_tape.elf")
    with pytest.raises(TargetError) as caught:
        QemuTarget().start(image)
    assert caught.value.advice == "type: sudo apt-get install qemu-system-arm"


def test_nothing_is_left_when_we_are_killed(tmp_path: Path) -> None:
    code = f"""
import sys, time, pathlib
sys.path[:0] = {sys.path!r}
from tests.targets.test_process import start
run = start(pathlib.Path({str(tmp_path)!r}), "time.sleep(1000)")
print(run._process.pid, flush=True)
time.sleep(1000)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as host:
        assert host.stdout is not None
        pid = int(host.stdout.readline())
        assert is_alive(pid)
        host.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 100
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(pid)
