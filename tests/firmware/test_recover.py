"""`recover` on firmware halted by a debugger in QEMU, with every way to read its memory."""

from __future__ import annotations

import re
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.command import COMMAND, assert_complaint
from tests.support.patience import HANG_S
from tests.support.workbench import build, qemu_command
from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.analysis.ledger import Balance

BOARD = "mps2-an386"
RAM, RAM_BYTES = 0x20000000, 1 << 18


def words_of(tape: Path) -> dict[int, tuple[int, ...]]:
    """Return the records of a tape with one ring by their ordinals."""
    found = {}
    with TapeReader(tape) as reader:
        (ring,) = reader.rings
        for chunk in reader.records_chunks(ring):
            rows = iter(chunk.records.tolist())
            for buffer in chunk.buffers.tolist():
                for ordinal in range(buffer[0], buffer[0] + buffer[5]):
                    found[ordinal] = next(rows)
    return found


def balance(tape: Path) -> Balance:
    with TapeReader(tape) as reader:
        (ring,) = balance_of(reader).rings
    assert ring.balance.holds
    assert ring.final
    assert ring.contradictions == ()
    return ring.balance


@pytest.fixture(scope="module")
def firmware() -> Path:
    return build(
        BOARD,
        "first_tape_recover",
        SOURCE_DIR="examples/first_tape",
        DEBUG_FLAGS="-g",
        DEFINES="TT_CONFIG_PACKING=0",
    )


@pytest.fixture(scope="module")
def halted(tmp_path_factory: pytest.TempPathFactory, firmware: Path) -> Path:
    """Halt the firmware while it closes a buffer, save its memory, and resume it to its end."""
    folder = tmp_path_factory.mktemp("halted")
    script = subprocess.run(
        [COMMAND, "recover", "--gdb-script"], capture_output=True, text=True, check=True
    ).stdout
    (folder / "tickertape-gdb.py").write_text(script)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        server = f"socket,id=gdb,fd={listener.fileno()},server=on,wait=off"
        command = qemu_command(BOARD, firmware, f"file:{folder}/link", "duration_ms=300")
        with subprocess.Popen(
            [*command, "-S", "-chardev", server, "-gdb", "chardev:gdb"],
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        ) as emulator:
            try:
                commands = [
                    f"target remote 127.0.0.1:{port}",
                    *("break tt_ring_close", "ignore 1 5", "continue", "stepi 9"),
                    f'monitor pmemsave {RAM:#x} {RAM_BYTES} "{folder}/ram.bin"',
                    f"monitor dump-guest-memory {folder}/qemu.core",
                    f"dump ihex memory {folder}/ram.hex {RAM:#x} {RAM + RAM_BYTES:#x}",
                    f'set $tickertape = "{COMMAND}"',
                    f"source {folder}/tickertape-gdb.py",
                    f"tape save {folder}/gdb.tape",
                    *("delete", "continue"),
                ]
                done = subprocess.run(
                    ["gdb-multiarch", "-nx", "-batch", str(firmware)]
                    + [word for line in commands for word in ("-ex", line)],
                    capture_output=True,
                    text=True,
                    timeout=HANG_S,
                    check=False,
                )
                (folder / "gdb.log").write_text(done.stdout + done.stderr)
                emulator.wait(HANG_S)
            finally:
                emulator.kill()
    return folder


def test_all_images_of_a_halted_target_give_its_records(
    tickertape: Command, tmp_path: Path, firmware: Path, halted: Path
) -> None:
    done = tickertape("capture", halted / "link", "-o", "whole.tape")
    assert done.returncode == 0, done.stderr
    whole = words_of(tmp_path / "whole.tape")
    by_gdb = words_of(halted / "gdb.tape")
    expected = balance(halted / "gdb.tape")
    assert expected.damaged == 0, (halted / "gdb.log").read_text()
    assert len(by_gdb) > 100
    assert by_gdb == {ordinal: whole[ordinal] for ordinal in by_gdb}
    for image, *options in (
        ("ram.bin", "--base", hex(RAM)),
        ("qemu.core",),
        ("ram.hex",),
    ):
        done = tickertape(
            "recover", halted / image, "--elf", firmware, *options, "-o", "image.tape"
        )
        assert done.returncode == 0, done.stderr
        found, terms = words_of(tmp_path / "image.tape"), balance(tmp_path / "image.tape")
        # Without registers, the newest record of an open buffer is uncertain.
        assert terms.damaged <= 1
        assert (terms.offered, terms.dropped) == (expected.offered, expected.dropped)
        assert found == {ordinal: by_gdb[ordinal] for ordinal in found}
        assert len(found) + terms.damaged == len(by_gdb)
        assert re.search(r"stream 0, CPU 0: \d+ records offered", done.stdout)


@pytest.mark.parametrize(
    ("content", "options", "part"),
    [
        (b"raw bytes", ("--base", "0x20000000"), "does not contain the memory at"),
        (bytes(RAM_BYTES), ("--base", "0x20000000"), "not initialised"),
        (b":0400000001020304F3\n", (), "line 1"),
        (b":0400000001020304F2\n", (), "no last line"),
        (b"\x7fELF", (), "damaged ELF core"),
        (b"", ("--base", "0x20000000"), "contains no memory"),
    ],
)
def test_an_image_without_a_trace_is_one_line(
    tickertape: Command,
    tmp_path: Path,
    firmware: Path,
    content: bytes,
    options: tuple[str, ...],
    part: str,
) -> None:
    (tmp_path / "image").write_bytes(content)
    done = tickertape("recover", "image", "--elf", firmware, *options, "-o", "x.tape")
    assert_complaint(done, 4, part)
    assert not (tmp_path / "x.tape").exists()


def test_raw_bytes_need_an_address(tickertape: Command, tmp_path: Path, firmware: Path) -> None:
    (tmp_path / "image").write_bytes(b"raw bytes")
    done = tickertape("recover", "image", "--elf", firmware, "-o", "x.tape")
    assert_complaint(done, 2, "--base")


def test_the_program_itself_is_no_image(tickertape: Command, firmware: Path) -> None:
    done = tickertape("recover", firmware, "--elf", firmware, "-o", "x.tape")
    assert_complaint(done, 4, "is a program, not an image of memory")
