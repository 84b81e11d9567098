"""A probe drains rings while the target runs: QEMU's RAM is a file that this process maps too.

The storm records as fast as it can; the tape must have the storm's own counts, by CPU and class.
"""

from __future__ import annotations

import re
import socketserver
import subprocess
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

import pytest

from tests.support.storm import DROP, OVERWRITE, UNTIL_FULL, check_content, counts_of
from tests.support.workbench import build, qemu_command
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, StopReason, capture
from tickertape.errors import LinkError
from tickertape.link.target_memory import FileMemory
from tickertape.probe import open_probe
from tickertape.probe.opener import RamFile
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.storm import Counts
    from tickertape.analysis.balance import TapeBalance
    from tickertape.probe import ProbeLink

RAM: Final = {"mps2-an385": 0x2100_0000, "mps2-an521": 0x8000_0000}

ONE_CPU: Final = "mps2-an385"
RAM_BYTES: Final = 16 << 20
NEVER_MS: Final = 100_000
BUFFERS: Final = 32
CAPACITY: Final = BUFFERS * 128
HANG_S: Final = 120


def program(board: str) -> Path:
    return build(
        board,
        "storm_probe",
        SOURCE_DIR="examples/storm",
        DEBUG_FLAGS="-g",
        DEFINES=f"TT_CONFIG_PROBE=1 TT_CONFIG_BUFFERS={BUFFERS}",
        MEMORY=f"../../../tests/probe/psram_{board.removeprefix('mps2-')}",
    )


@contextmanager
def shared(board: str, ram: Path, **options: int) -> Iterator[subprocess.Popen[str]]:
    """Run the storm in real time with its RAM in a file; its own link is closed during the run."""
    words = [f"{name}={value}" for name, value in options.items()]
    command = qemu_command(board, program(board), "null", *words, f"closed_ms={NEVER_MS}")
    at = command.index("-icount")
    command[at : at + 2] = ["-accel", "tcg,thread=multi"]
    machine = command.index("-M") + 1
    command[machine] += ",memory-backend=ram"
    backend = f"memory-backend-file,id=ram,size=16M,share=on,mem-path={ram}"
    with subprocess.Popen(
        [*command, "-object", backend],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def take(link: ProbeLink, process: subprocess.Popen[str], tape: Path) -> tuple[TapeBalance, Counts]:
    """Drain the storm to its end; return the balance and the storm's own counts."""
    result = capture(link, tape, CaptureOptions(duration_s=HANG_S, stop_when_final=True))
    console, _ = process.communicate(timeout=HANG_S)
    assert result.reason is StopReason.FINAL, result
    assert not result.problems
    with TapeReader(tape) as reader:
        check_content(reader)
        balance = balance_of(reader)
    assert balance.final
    assert not balance.contradictions
    for ring in balance.rings:
        assert ring.balance.holds
        assert ring.balance.damaged == ring.balance.overwritten == 0
    return balance, counts_of(console)


def check_exact(balance: TapeBalance, offered: Counts) -> None:
    """Check that the balance equals the storm's counts for each CPU and class."""
    assert set(offered) == {ring.ring.cpu for ring in balance.rings}
    for ring in balance.rings:
        assert ring.balance.offered == sum(offered[ring.ring.cpu].values())
        assert ring.balance.delivered > CAPACITY
        assert ring.by_class is not None
        counted = {kind: each.offered for kind, each in ring.by_class.classes.items()}
        assert counted == offered[ring.ring.cpu]


def ram_file(folder: Path) -> Path:
    ram = folder / "ram"
    ram.write_bytes(bytes(RAM_BYTES))
    return ram


@pytest.mark.parametrize("board", RAM)
def test_the_storm_is_accounted_for(tmp_path: Path, board: str) -> None:
    ram = ram_file(tmp_path)
    with (
        closing(open_probe(f"probe:file:{ram}?base={RAM[board]:#x}", program(board))) as link,
        shared(board, ram, duration_ms=1500, policy=DROP) as process,
    ):
        check_exact(*take(link, process, tmp_path / "x.tape"))


def test_a_stream_that_is_full_stops(tmp_path: Path) -> None:
    ram = ram_file(tmp_path)
    with (
        closing(open_probe(f"probe:file:{ram}?base={RAM[ONE_CPU]:#x}", program(ONE_CPU))) as link,
        shared(ONE_CPU, ram, duration_ms=500, policy=UNTIL_FULL) as process,
    ):
        balance, _ = take(link, process, tmp_path / "x.tape")
    (ring,) = balance.rings
    assert ring.balance.delivered >= CAPACITY
    assert ring.balance.dropped == 1


def test_a_reset_begins_a_new_boot(tmp_path: Path) -> None:
    """The firmware starts again with the same RAM, as after a reset, and clears it."""
    ram = ram_file(tmp_path)
    with closing(open_probe(f"probe:file:{ram}?base={RAM[ONE_CPU]:#x}", program(ONE_CPU))) as link:
        for tape in ("first.tape", "second.tape"):
            with shared(ONE_CPU, ram, duration_ms=500, policy=DROP) as process:
                check_exact(*take(link, process, tmp_path / tape))
        (remark,) = link.remarks()
    assert "was reset 1 times" in remark


class TclServer(socketserver.BaseRequestHandler):
    """OpenOCD's read_memory, write_memory and catch as in its manual, with RAM in a file."""

    memory: RamFile

    def handle(self) -> None:
        """Answer requests until the client is gone."""
        received = b""
        while part := self.request.recv(65_536):
            *lines, received = (received + part).split(b"\x1a")
            for line in lines:
                self.request.sendall(self.answer(line.decode()).encode() + b"\x1a")

    def answer(self, line: str) -> str:
        """Execute one request and return the answer."""
        found = re.search(r"catch {(\w+) (\w+) (\d+) (?:{(.*?)}|(\d+))}", line)
        assert found, line
        place, width = int(found[2], 0), int(found[3]) // 8
        if found[1] == "write_memory":
            for number, word in enumerate(found[4].split()):
                data = int(word, 0).to_bytes(width, "little")
                self.memory.write(place + number * width, data)
            return "0 "
        data = self.memory.read(place, width * int(found[5]))
        if not data:
            return "1 Failed to read memory"
        numbers = [
            int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)
        ]
        return " ".join(["0", *(f"{number:#x}" for number in numbers)])


def test_openocd_reads_and_releases_while_the_target_runs(tmp_path: Path) -> None:
    ram = ram_file(tmp_path)
    with (
        closing(RamFile(FileMemory(str(ram), None), RAM[ONE_CPU])) as memory,
        socketserver.ThreadingTCPServer(
            ("127.0.0.1", 0), type("Handler", (TclServer,), {"memory": memory})
        ) as server,
    ):
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"probe:openocd://127.0.0.1:{server.server_address[1]}"
        with (
            closing(open_probe(url, program(ONE_CPU))) as link,
            shared(ONE_CPU, ram, duration_ms=500, policy=DROP) as process,
        ):
            check_exact(*take(link, process, tmp_path / "x.tape"))
        server.shutdown()


def test_a_ring_that_overwrites_is_refused(tmp_path: Path) -> None:
    ram = ram_file(tmp_path)
    with (
        closing(open_probe(f"probe:file:{ram}?base={RAM[ONE_CPU]:#x}", program(ONE_CPU))) as link,
        shared(ONE_CPU, ram, duration_ms=1500, policy=OVERWRITE),
    ):
        result = capture(link, tmp_path / "x.tape", CaptureOptions(duration_s=HANG_S))
    assert result.reason is StopReason.FAILED
    assert isinstance(result.problems[0], LinkError)
    assert "OVERWRITE" in str(result.problems[0])
