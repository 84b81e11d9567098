"""Command lines and errors of `tickertape flash` for each tool; no probe is needed."""

from __future__ import annotations

import shutil
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.usb import usb
from tickertape.errors import (
    FirmwareError,
    LinkDenied,
    LinkMissing,
    TargetError,
    TickertapeError,
    UsageError,
)
from tickertape.targets import flash as flashing
from tickertape.targets.boards import BOARDS, find_board, segments_for
from tickertape.targets.flash import denied, fault_of, flash
from tickertape.targets.flash_tools import TOOLS, Job
from tickertape.targets.probes import connected

if TYPE_CHECKING:
    from collections.abc import Callable

DISCOVERY = BOARDS["stm32f4_discovery"]
ARM, X86 = 40, 3
CONTENT = b"\x00\x00\x02\x20\xc1\x01\x00\x08"


def elf(path: Path, address: int = 0x0800_0000, *, machine: int = ARM, size: int = 8) -> Path:
    """Write an ELF file with one segment."""
    head = struct.pack(
        "<16s2H5I6H", b"\x7fELF\x01\x01\x01", 2, machine, 1, address, 52, 0, 0, 52, 32, 1, 0, 0, 0
    )
    part = struct.pack("<8I", 1, 84, address, address, size, size, 5, 4)
    path.write_bytes(head + part + CONTENT[:size])
    return path


@pytest.fixture
def image(tmp_path: Path) -> Path:
    return elf(tmp_path / "motor.elf")


def job(folder: Path, image: Path, *, bare: bool) -> Job:
    parts = segments_for(image, DISCOVERY)
    return Job(
        DISCOVERY, image, parts, None if bare else "066F", not bare, not bare, not bare, folder
    )


# Command lines from the manuals of the tools; not tested with a real chip.
WORDS = {
    ("pyocd", False): [
        "load --no-wait --target stm32f407vgtx --probe 066F --erase chip --format elf --no-reset I",
        (
            "commander --no-wait --target stm32f407vgtx --probe 066F "
            "--command compare 0x08000000 'F/0.bin'"
        ),
        "reset --no-wait --target stm32f407vgtx --probe 066F",
    ],
    ("pyocd", True): [
        "load --no-wait --target stm32f407vgtx --erase sector --format elf --no-reset I"
    ],
    ("probe-rs", False): [
        "download --non-interactive --chip STM32F407VGTx --probe 066F --chip-erase --verify I",
        "reset --non-interactive --chip STM32F407VGTx --probe 066F",
    ],
    ("probe-rs", True): ["download --non-interactive --chip STM32F407VGTx I"],
    ("openocd", False): [
        (
            "-f board/stm32f4discovery.cfg -c adapter serial 066F "
            "-c init; reset halt; flash erase_sector 0 0 last -c program {I} verify reset exit"
        )
    ],
    ("openocd", True): ["-f board/stm32f4discovery.cfg -c program {I} exit"],
    ("jlink", False): [
        (
            "-USB 066F -nogui 1 -if swd -speed auto -device STM32F407VG "
            "-CommanderScript F/commands.jlink"
        )
    ],
    ("jlink", True): [
        "-nogui 1 -if swd -speed auto -device STM32F407VG -CommanderScript F/commands.jlink"
    ],
}


@pytest.mark.parametrize(("tool", "bare"), WORDS)
def test_the_command_lines(tmp_path: Path, image: Path, tool: str, bare: bool) -> None:  # noqa: FBT001 - a parameter
    steps = TOOLS[tool].steps(job(tmp_path, image, bare=bare))
    lines = [" ".join(step.words) for step in steps]
    shown = [line.replace(str(image), "I").replace(str(tmp_path), "F") for line in lines]
    assert shown == WORDS[tool, bare]
    if tool == "pyocd" and not bare:
        assert (tmp_path / "0.bin").read_bytes() == CONTENT


def test_the_script_of_jlink(tmp_path: Path, image: Path) -> None:
    for bare, lines in (
        (False, ["r", "erase", "loadfile I", "verifybin F/0.bin 0x08000000", "r", "g", "q"]),
        (True, ["r", "loadfile I", "q"]),
    ):
        TOOLS["jlink"].steps(job(tmp_path, image, bare=bare))
        script = (tmp_path / "commands.jlink").read_text().replace('"', "")
        shown = script.replace(str(image), "I").replace(str(tmp_path), "F")
        assert shown.splitlines() == ["ExitOnError 1", *lines]


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (
            lambda path: elf(path, 0x0000_0000),
            "has a part at 0x00000000; the flash memory of STM32",
        ),
        (
            lambda path: elf(path, 0x080F_FFFC),
            "has a part at 0x080ffffc; the flash memory of STM32",
        ),
        (
            lambda path: elf(path, size=0),
            "has no part to write; the flash memory of STM32F407VG is",
        ),
        (lambda path: elf(path, machine=X86), "is for x86, not for Arm; build it for the board"),
        (
            lambda path: path.write_bytes(b"\0\0\2 "),
            "is not an ELF file: Magic number does not match; give",
        ),
        (lambda _: None, "cannot be read: No such file or directory; give the linker's output"),
    ],
)
def test_an_image_for_something_else(
    tmp_path: Path, make: Callable[[Path], object], complaint: str
) -> None:
    make(tmp_path / "I")
    with pytest.raises(FirmwareError) as caught:
        segments_for(tmp_path / "I", DISCOVERY)
    assert f"I {complaint}" in str(caught.value)


def test_names_that_do_not_exist(image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="did you mean stm32f4_discovery"):
        find_board("stm32f4-discovery")
    with pytest.raises(UsageError, match="no tool is called 'pyocdd'; did you mean pyocd"):
        flash(image, "stm32f4_discovery", tool="pyocdd")
    monkeypatch.setattr(flashing, "_program", lambda _: None)
    with pytest.raises(UsageError, match="JLinkExe is not installed; see https"):
        flash(image, "stm32f4_discovery", tool="jlink")
    with pytest.raises(UsageError, match=r"none of pyocd, .* is installed; type: pip install"):
        flash(image, "stm32f4_discovery")


def test_probes_of_this_machine(tmp_path: Path) -> None:
    tty = usb(tmp_path, 4, "0483", "374b", "066FFF") / "1-4:1.2/tty/ttyACM3"
    tty.mkdir(parents=True)
    usb(tmp_path, 5, "1366", "0105", "000683")
    usb(tmp_path, 6, "046d", "c31c")  # a keyboard
    (usb(tmp_path, 7, "0d28", "0204") / "devnum").write_text("?")
    (tmp_path / "dev/bus/usb/001/005").unlink()
    first, second = connected(tmp_path / "sys", tmp_path / "dev")
    assert (first.kind, first.serial, first.may_open) == ("ST-LINK", "066FFF", True)
    assert first.ports == (tmp_path / "dev/ttyACM3",)
    assert (second.kind, second.may_open, second.ports) == ("J-Link", False, ())
    assert connected(tmp_path / "none") == []
    message = str(denied(first))
    assert message.startswith("you may not open the ST-LINK 066FFF (")
    assert 'SUBSYSTEM=="usb", ATTR{idVendor}=="0483", MODE="0660", TAG+="uaccess"' in message


@pytest.mark.process
def test_the_probe_is_chosen_before_a_tool_runs(
    tmp_path: Path, image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usb(tmp_path, 4, "0483", "374b", "066FFF")
    usb(tmp_path, 5, "1366", "0105", "000683")
    (tmp_path / "dev/bus/usb/001/005").unlink()
    probes = connected(tmp_path / "sys", tmp_path / "dev")
    for module in ("flash", "probes"):
        monkeypatch.setattr(f"tickertape.targets.{module}.connected", lambda: probes)
    log = tool_that(tmp_path, monkeypatch, "")
    with pytest.raises(LinkMissing, match=r"2 debug probes .*066FFF \(ST-LINK\), 000683"):
        flash(image, "stm32f4_discovery")
    with pytest.raises(LinkDenied, match="you may not open the J-Link 000683"):
        flash(image, "stm32f4_discovery", probe="683")
    assert not log.exists()
    assert flash(image, "stm32f4_discovery", probe="66F") == "pyocd"
    assert [line.split()[0] for line in log.read_text().splitlines()] == [
        *("load", "commander", "reset")
    ]
    assert log.read_text().count("--probe 066FFF") == 3
    assert flash(image, "stm32f4_discovery", probe="66F", tool="probe-rs") == "probe-rs"
    assert log.read_text().count("--probe 0483:374b:066FFF") == 2


def tool_that(folder: Path, monkeypatch: pytest.MonkeyPatch, prints: str) -> Path:
    """Replace every tool by a program that appends its command line to the returned file."""
    log, program = folder / "log", folder / "tool"
    (folder / "output").write_text(prints)
    program.write_text(f'#!/bin/sh\necho "$@" >> {log}\ncat {folder}/output\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(flashing, "_program", lambda _: str(program))
    return log


@pytest.mark.process
def test_a_difference_is_a_failure_whatever_the_exit_code(
    tmp_path: Path, image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tool_that(tmp_path, monkeypatch, "Mismatched byte at 0x08000002")
    monkeypatch.setattr(flashing, "connected", list)
    with pytest.raises(TargetError, match="pyocd could not verify: Mismatched byte at 0x08000002"):
        flash(image, "stm32f4_discovery")
    assert "reset" not in [line.split()[0] for line in log.read_text().splitlines()]


@pytest.mark.parametrize(
    ("tool", "line", "kind", "message"),
    [
        ("pyocd", "No connected debug probes", LinkMissing, "pyocd finds no debug probe; plug it"),
        ("probe-rs", "Error: No connected probes were found.", LinkMissing, "probe-rs finds no"),
        ("openocd", "Error: unable to find a matching CMSIS-DAP probe", LinkMissing, "openocd f"),
        ("jlink", "Cannot connect to J-Link.", LinkMissing, "jlink finds no debug probe; plug it"),
        (
            "pyocd",
            "usb: [Errno 13] Access denied (insufficient permissions)",
            LinkDenied,
            "pyocd m",
        ),
        (
            "openocd",
            "Error: libusb_open() failed with LIBUSB_ERROR_ACCESS",
            LinkDenied,
            "openocd m",
        ),
        (
            "pyocd",
            "Target type stm32f407vgtx not recognized. Use 'pyocd list --targets'",
            TargetError,
            "pyocd does not know STM32F407VG; type: pyocd pack install stm32f407vg",
        ),
        ("openocd", "Can't find board/x.cfg", TargetError, "openocd does not know STM32F407VG; i"),
        (
            "openocd",
            "stm32x device protected; Device Security Bit Set",
            TargetError,
            "the chip is l",
        ),
        (
            "openocd",
            "Warn : UNEXPECTED idcode: 0x1ba01477",
            TargetError,
            "the probe is connected to another",
        ),
        (
            "jlink",
            "loading\nError: supply\n",
            TargetError,
            "jlink could not write: Error: supply; c",
        ),
        ("jlink", "", TargetError, "jlink could not write: no message; check cable"),
    ],
)
def test_what_tools_print_becomes_one_line(
    tool: str, line: str, kind: type[TickertapeError], message: str
) -> None:
    fault = fault_of(tool, "write", line.splitlines(), DISCOVERY)
    assert type(fault) is kind
    assert str(fault).startswith(message)


@pytest.mark.process
def test_pyocd_itself_finds_no_probe(image: Path) -> None:
    """The real pyOCD accepts our command line, and its message without a probe is recognised."""
    assert shutil.which("pyocd", path=str(Path(sys.executable).parent))
    shown: list[str] = []
    with pytest.raises(LinkMissing, match="pyocd finds no debug probe; plug it in"):
        flash(image, "stm32f4_discovery", tool="pyocd", say=shown.append)
    assert [line.split()[:3] for line in shown] == [["write:", "pyocd", "load"]]
    program = str(Path(sys.executable).parent / "pyocd")
    for step in TOOLS["pyocd"].steps(job(image.parent, image, bare=False))[1:]:
        with pytest.raises(LinkMissing):
            flashing._do("pyocd", program, step, DISCOVERY)
