"""The demo application on every board: it ends normally, and its trace is complete.

Tests of the host check the contents of the trace; this file checks frames and their delimiters.
"""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.workbench import build, qemu_command, run_native, run_qemu

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FRAME_END = b"\x00"
DURATION_MS = 300
EXIT_USAGE, EXIT_LINK = 64, 74


def check_whole(trace: bytes) -> None:
    """Check that a trace has many frames and ends with a complete frame."""
    assert len(trace) > 10_000
    assert trace.endswith(FRAME_END)
    assert FRAME_END * 2 not in trace


class Host:
    """Listens for one connection, and reads up to its end or `enough_bytes`."""

    def __init__(self, enough_bytes: int | None = None) -> None:
        self.received = b""
        self._enough_bytes = enough_bytes
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        connection, _ = self._server.accept()
        with connection, self._server:
            while data := connection.recv(4096):
                self.received += data
                if self._enough_bytes is not None and len(self.received) > self._enough_bytes:
                    return

    def wait(self) -> bytes:
        self._thread.join()
        return self.received


@pytest.fixture(scope="module")
def native() -> Path:
    return build("native")


@pytest.fixture(scope="module")
def trace_of_file(native: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("native") / "trace.bin"
    done = run_native(native, "--duration-ms", str(DURATION_MS), "--trace", f"file:{path}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return path.read_bytes()


def test_native_writes_a_whole_trace(trace_of_file: bytes) -> None:
    check_whole(trace_of_file)


def test_native_runs_repeat_exactly_over_any_link(native: Path, trace_of_file: bytes) -> None:
    host = Host()
    link = f"tcp:127.0.0.1:{host.port}"
    done = run_native(native, "--duration-ms", str(DURATION_MS), "--trace", link)
    assert done.returncode == 0
    assert host.wait() == trace_of_file


def read_pty(name: str) -> Iterator[bytes]:
    """Read until the peer has closed; pauses make the peer wait."""
    descriptor = os.open(name, os.O_RDONLY | os.O_NOCTTY)
    try:
        while data := os.read(descriptor, 3000):
            yield data
            time.sleep(0.0005)
    except OSError:
        pass
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("options", [[], ["--realtime"]])
def test_native_waits_for_a_host_at_its_pseudo_terminal(
    native: Path, trace_of_file: bytes, options: list[str]
) -> None:
    command = [str(native), "--duration-ms", str(DURATION_MS), "--trace", "pty", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        trace = b"".join(read_pty(program.stdout.readline().strip()))
    assert program.returncode == 0
    check_whole(trace)
    assert options or trace == trace_of_file


def test_native_in_real_time_takes_its_time(native: Path, tmp_path: Path) -> None:
    path = tmp_path / "trace.bin"
    begin = time.monotonic()
    done = run_native(
        native, "--realtime", "--duration-ms", str(DURATION_MS), "--trace", f"file:{path}"
    )
    assert done.returncode == 0
    assert time.monotonic() - begin >= DURATION_MS / 1000
    check_whole(path.read_bytes())


def test_native_ends_when_the_host_is_gone(native: Path) -> None:
    host = Host(enough_bytes=2000)
    done = run_native(native, "--duration-ms", "100000", "--trace", f"tcp:127.0.0.1:{host.port}")
    assert done.returncode == EXIT_LINK
    assert "the trace link is gone" in done.stderr
    host.wait()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--trace", "tcp:127.0.0.1:1"], EXIT_LINK, "Connection refused"),
        (["--trace", "tcp:localhost"], EXIT_LINK, "write tcp:HOST:PORT"),
        (["--trace", "file:/no/such/folder/trace"], EXIT_LINK, "No such file"),
        (["--trace", "paper"], EXIT_LINK, "write tcp:HOST:PORT, udp:HOST:PORT, file:PATH or pty"),
        (["--duration-ms", "long"], EXIT_USAGE, "a number from 0"),
        (["--duration-ms"], EXIT_USAGE, "a number from 0"),
        (["--boot-id", "4294967296"], EXIT_USAGE, "a number from 0"),
        (["--trace"], EXIT_USAGE, "not understood"),
        (["--nonsense"], EXIT_USAGE, "--help lists the options"),
    ],
)
def test_native_says_what_is_wrong(
    native: Path, options: list[str], code: int, message: str
) -> None:
    done = run_native(native, *options)
    assert done.returncode == code
    assert message in done.stderr


@pytest.mark.parametrize("sanitizers", ["address,undefined", "thread"])
def test_native_is_clean_under_sanitizers(
    sanitizers: str, trace_of_file: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "trace.bin"
    program = build("native", SANITIZE=sanitizers)
    done = run_native(program, "--duration-ms", str(DURATION_MS), "--trace", f"file:{path}")
    assert (done.returncode, done.stderr) == (0, "")
    check_whole(path.read_bytes())
    assert abs(len(path.read_bytes()) - len(trace_of_file)) < len(trace_of_file) / 10


@pytest.mark.parametrize("board", ["mps2-an385", "mps2-an386", "mps2-an521", "mps3-an547"])
def test_emulated_runs_repeat_exactly(board: str, tmp_path: Path) -> None:
    program = build(board)
    traces = []
    for name in ("first.bin", "second.bin"):
        path = tmp_path / name
        done = run_qemu(board, program, f"duration_ms={DURATION_MS}", trace=f"file:{path}")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        traces.append(path.read_bytes())
    check_whole(traces[0])
    assert traces[0] == traces[1]


def test_emulated_board_sends_over_a_socket(tmp_path: Path) -> None:
    program = build("mps2-an386")
    host = Host()
    option = f"duration_ms={DURATION_MS}"
    done = run_qemu("mps2-an386", program, option, trace=f"tcp:127.0.0.1:{host.port}")
    assert done.returncode == 0
    path = tmp_path / "trace.bin"
    run_qemu("mps2-an386", program, option, trace=f"file:{path}")
    assert host.wait() == path.read_bytes()


def test_emulated_board_runs_without_semihosting(tmp_path: Path) -> None:
    """Without semihosting, options have their defaults and the end is not reported."""
    path = tmp_path / "trace.bin"
    command = qemu_command("mps2-an386", build("mps2-an386"), f"file:{path}")
    at = command.index("-semihosting-config")
    del command[at : at + 2]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as emulator:
        try:
            size = -1
            while size < 100_000 or path.stat().st_size > size:
                size = path.stat().st_size if path.exists() else -1
                time.sleep(0.5)
        finally:
            emulator.kill()
    check_whole(path.read_bytes())


@pytest.mark.parametrize("board", ["native", "mps2-an385", "mps2-an386", "mps2-an521"])
def test_it_runs_without_the_recorder(board: str) -> None:
    program = build(board, TT="0")
    done = run_native(program) if board == "native" else run_qemu(board, program)
    assert (done.returncode, done.stderr) == (0, "")


def test_panic_is_told(tmp_path: Path) -> None:
    """A stack overflow ends the program, and the console shows the reason."""
    source = tmp_path / "main.c"
    source.write_text(
        """
#include "board.h"
#include "kernel.h"
static kernel_thread_t thread;
static _Alignas(8) uint8_t stacks[3][256]; /* what it writes below its own does no harm */
static uint32_t deep(uint32_t depth)
{
    volatile uint32_t room[8];
    room[0] = depth;
    return depth == 0u ? (uint32_t)kernel_sleep(1) : deep(depth - 1u) + room[0];
}
static void overflow(void *argument)
{
    (void)argument;
    (void)deep(6);
}
void application_main(void)
{
    (void)kernel_thread_create(&thread, "deep", overflow, 0, 1, stacks[2], sizeof stacks[2]);
    kernel_start();
}
"""
    )
    program = build("mps2-an386", "overflow", SOURCE_DIR=str(tmp_path), TT="0", OPT="-O0")
    done = run_qemu("mps2-an386", program)
    assert done.returncode == 70
    assert "panic: a thread used more than its stack" in done.stdout
