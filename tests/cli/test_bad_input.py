"""Every error is one line on stderr that ends with the remedy, and has the documented code."""

from __future__ import annotations

import os
import random
import struct
import threading
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import serial

from tests.support.command import Command, assert_complaint
from tests.support.patience import HANG_S
from tests.support.target import target_with_events
from tests.support.wire_bytes import frame, hello_body
from tickertape._native.engine import VARIABLE
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.command import Command


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ([], ["COMMAND", "see tickertape --help"]),
        (["fly"], ["unknown value fly", "tickertape --help lists the commands"]),
        (["capture", "x"], ["-o/--output", "see tickertape capture --help"]),
        (["run", "--target", "moon", "-o", "t.tape"], ["moon", "choose one of: qemu"]),
        (["run", "--target", "qemu", "-o", "t.tape", "--duration", "-1"], ["above 0"]),
        (["print", "t.tape", "-n", "none"], ["'none' is not a number of lines from 1 on; see"]),
        (["print", "t.tape", "-n", "0"], ["'0' is not a number of lines", "print --help"]),
        (["import", "itm", "f", "-o", "t", "--hz", "x"], ["'x' is not a number of Hz from 1"]),
        (["import", "itm", "f", "-o", "t", "--hz", "1", "--watch", "9"], ["as in 0=0x20000100"]),
        (["capture", "gopher://x", "-o", "t.tape"], ["gopher"]),
        (["capture", "socket://localhost", "-o", "t.tape"], ["names no port"]),
    ],
)
def test_wrong_command_line(tickertape_inside: Command, words: list[str], parts: list[str]) -> None:
    assert_complaint(tickertape_inside(*words), 2, *parts)


def test_unknown_class_names_the_known_ones(tickertape_inside: Command, tape: Path) -> None:
    assert_complaint(tickertape_inside("print", tape, "--class", "NOISE"), 2, "NOISE", "SCHED")


@pytest.mark.parametrize(
    ("link", "parts"),
    [
        ("/dev/ttyNONE7", ["there is no device or file /dev/ttyNONE7", "plug the device in"]),
        ("missing.bin", ["there is no device or file missing.bin"]),
        ("socket://127.0.0.1:1", ["no program listens"]),
    ],
)
def test_missing_device(
    tickertape_inside: Command, tmp_path: Path, link: str, parts: list[str]
) -> None:
    done = tickertape_inside("capture", link, "-o", "t.tape", "--wait", "0.1")
    assert_complaint(done, 3, *parts)
    assert not (tmp_path / "t.tape").exists()


def test_busy_device(tickertape: Command) -> None:
    ours, theirs = os.openpty()
    name = os.ttyname(theirs)
    with serial.Serial(name, exclusive=True):
        done = tickertape("capture", name, "-o", "t.tape")
    os.close(ours)
    os.close(theirs)
    assert_complaint(done, 3, name, "in use", "close that program")


def test_noise_alone_is_told_and_the_tape_opens(tickertape_inside: Command, tmp_path: Path) -> None:
    (tmp_path / "noise.bin").write_bytes(random.Random(1).randbytes(50_000))
    done = tickertape_inside("capture", "noise.bin", "-o", "t.tape")
    assert_complaint(done, 3, "50000 bytes", "but no frame", "baud rate")
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.closed
        assert reader.record_count == 0


def test_silence_is_told(tickertape_inside: Command, tmp_path: Path) -> None:
    (tmp_path / "nothing.bin").write_bytes(b"")
    done = tickertape_inside("capture", "nothing.bin", "-o", "t.tape")
    assert_complaint(done, 3, "no bytes arrived", "check that the target runs")


def test_noise_around_frames_on_a_pty_is_survived(tickertape: Command, tmp_path: Path) -> None:
    target = target_with_events()
    target.finish()
    noise = random.Random(2)
    pieces = [noise.randbytes(200) + b"\0" + sent.data for sent in target.frames]
    ours, theirs = os.openpty()

    def write() -> None:
        # The tape is created after the link was opened; earlier bytes would be discarded.
        while not (tmp_path / "t.tape").exists():
            time.sleep(0.01)
        for piece in pieces:
            os.write(ours, piece)

    writer = threading.Thread(target=write)
    writer.start()
    done = tickertape(
        "capture", os.ttyname(theirs), "-o", "t.tape", "--duration", "1.5", timeout=HANG_S
    )
    writer.join()
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 0, done.stderr
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.record_count == len(target.rings[0, 0].records)
        assert reader.link_counters is not None
        assert reader.link_counters.bad_frames > 0


def test_another_dictionary_is_told_and_everything_kept(
    tickertape_inside: Command, tmp_path: Path
) -> None:
    target = target_with_events(dictionary=0x1234)
    target.finish()
    (tmp_path / "link.bin").write_bytes(target.sent_bytes())
    done = tickertape_inside("capture", "link.bin", "-o", "t.tape")
    assert_complaint(done, 5, "list of events")
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.record_count == len(target.rings[0, 0].records)


def test_another_protocol_is_told(tickertape_inside: Command, tmp_path: Path) -> None:
    (tmp_path / "link.bin").write_bytes(frame(1, 0, 0, 0, hello_body(major=9)))
    done = tickertape_inside("capture", "link.bin", "-o", "t.tape")
    assert_complaint(done, 5, "9")


@pytest.mark.parametrize("command", ["print", "info"])
@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (None, ["t.tape"]),
        (b"", ["t.tape"]),
        (b"# a text\n" * 100, ["t.tape"]),
        (bytes(1000), ["t.tape"]),
    ],
)
def test_what_is_no_tape(
    tickertape: Command, tmp_path: Path, command: str, content: bytes | None, parts: list[str]
) -> None:
    if content is not None:
        (tmp_path / "t.tape").write_bytes(content)
    assert_complaint(tickertape(command, "t.tape"), 4, *parts)


@pytest.mark.parametrize("command", ["print", "info"])
def test_a_tape_of_a_newer_version(tickertape: Command, tape: Path, command: str) -> None:
    data = bytearray(tape.read_bytes())
    data[8:10] = struct.pack("<H", 2)
    data[60:64] = struct.pack("<I", zlib.crc32(data[:60]))
    tape.write_bytes(data)
    assert_complaint(tickertape(command, tape), 4, "version 2")


def test_a_folder_is_no_tape(tickertape: Command, tmp_path: Path) -> None:
    assert_complaint(tickertape("info", tmp_path), 4, str(tmp_path))


@pytest.mark.parametrize("output", ["missing/t.tape", ".", "/dev/full"])
def test_a_tape_that_cannot_be_written(tickertape: Command, tmp_path: Path, output: str) -> None:
    target = target_with_events()
    (tmp_path / "link.bin").write_bytes(target.sent_bytes())
    done = tickertape("capture", "link.bin", "-o", output)
    assert_complaint(done, 4)


@pytest.mark.parametrize(
    "words",
    [
        *(("print", "--style", style) for style in ("text", "qnx", "csv", "jsonl")),
        ("print", "-n", "1"),
        ("info",),
    ],
)
@pytest.mark.parametrize("engine", ["0", "1"])
def test_a_full_disk_behind_the_output(
    tickertape: Command, tape: Path, words: Sequence[str], engine: str
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = tickertape(*words, tape, stdout=full, env={**os.environ, VARIABLE: engine})
    assert_complaint(done, 4, "the output cannot be written (No space left on device)")


@pytest.mark.parametrize(("cut_bytes", "is_left"), [(40, True), (1000, False)])
def test_a_truncated_tape_opens_and_says_so(
    tickertape: Command, tape: Path, *, cut_bytes: int, is_left: bool
) -> None:
    whole = tickertape("print", tape).stdout
    tape.write_bytes(tape.read_bytes()[:-cut_bytes])
    printed = tickertape("print", tape)
    assert (printed.returncode, printed.stdout) == (0, whole if is_left else "")
    [told] = printed.stderr.splitlines()
    assert "; see all of it with 'tickertape info'" in told
    info = tickertape("info", tape)
    assert info.returncode == 0
    assert "! " in info.stdout


@pytest.mark.parametrize(
    ("content", "message"), [(None, "No such file"), (b"no ELF", "is not an ELF file")]
)
def test_a_wrong_elf_file(
    tickertape: Command, tape: Path, content: bytes | None, message: str
) -> None:
    elf = tape.with_name("firmware.elf")
    if content is not None:
        elf.write_bytes(content)
    assert_complaint(tickertape("print", tape, "--elf", elf), 6, message, "name the ELF file")
