"""Boards that a debug probe can flash, and the check that an image is for such a board."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tickertape.errors import FirmwareError, UsageError, nearest
from tickertape.symbols.elf_file import elf_file
from tickertape.targets.program import LINKERS_OUTPUT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Board:
    """A board, with the names of its chip in each flash tool.

    Attributes:
        chip: name of the chip, for messages.
        flash: address range of its flash memory.
        firmware: name of its folder in firmware/boards.
        baud: symbols per second of its trace UART.
        pyocd: target type in pyOCD.
        pack: name for `pyocd pack install` that adds this type; None if the type is built in.
        probe_rs: chip name in probe-rs.
        openocd: configuration files of OpenOCD.
        jlink: device name in J-Link Commander.
    """

    chip: str
    flash: range
    firmware: str
    baud: int
    pyocd: str
    pack: str | None
    probe_rs: str
    openocd: tuple[str, ...]
    jlink: str


BOARDS: Final[Mapping[str, Board]] = MappingProxyType(
    {
        "stm32f4_discovery": Board(
            chip="STM32F407VG",
            flash=range(0x0800_0000, 0x0810_0000),
            firmware="stm32f4",
            baud=1_000_000,
            pyocd="stm32f407vgtx",
            pack="stm32f407vg",
            probe_rs="STM32F407VGTx",
            openocd=("board/stm32f4discovery.cfg",),
            jlink="STM32F407VG",
        ),
        "microbit": Board(
            chip="nRF51822",
            flash=range(0x0004_0000),
            firmware="microbit",
            baud=115_200,
            pyocd="nrf51822",
            pack=None,
            probe_rs="nRF51822_xxAA",
            openocd=("interface/cmsis-dap.cfg", "target/nrf51.cfg"),
            jlink="nRF51822_xxAA",
        ),
    }
)
"""Boards by the names that `flash --board` accepts."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of an image in flash memory.

    Attributes:
        address: address of its first byte.
        content: bytes to write.
    """

    address: int
    content: bytes


def find_board(name: str) -> Board:
    """Return the board with a name.

    Raises:
        UsageError: no board has this name.
    """
    if name not in BOARDS:
        raise UsageError(f"no board is called {name!r}", nearest(name, BOARDS))
    return BOARDS[name]


def segments_for(image: Path, board: Board) -> list[Segment]:
    """Return the segments of an ELF file to write to the flash memory of a board, at least one.

    Raises:
        FirmwareError: the file cannot be read, is not an ELF file, or is not for this chip.
    """
    with elf_file(image, LINKERS_OUTPUT) as elf:
        machine = elf.get_machine_arch()
        parts = [
            Segment(part["p_paddr"], part.data())
            for part in elf.iter_segments("PT_LOAD")
            if part["p_filesz"]
        ]
    if machine != "ARM":
        raise FirmwareError(
            f"{image} is for {machine}, not for Arm", "build it for the board first"
        )
    outside = [
        part
        for part in parts
        if part.address not in board.flash or part.address + len(part.content) > board.flash.stop
    ]
    if outside or not parts:
        where = f"has a part at 0x{outside[0].address:08x}" if outside else "has no part to write"
        raise FirmwareError(
            f"{image} {where}; the flash memory of {board.chip} is at "
            f"0x{board.flash.start:08x} to 0x{board.flash.stop - 1:08x}",
            "build it for this board, or name another --board",
        )
    return parts
