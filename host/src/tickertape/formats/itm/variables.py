"""Names and types of watched variables, from the firmware's ELF file onto the tape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from tickertape.model.codes import SIGNALS
from tickertape.protocol.wire import NAME, ObjectKind
from tickertape.symbols.data import Data
from tickertape.symbols.reading import META_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tickertape.model.hardware_time import Row


_MOST: Final = 1 << 16
"""Addresses that are described; a variable may have many, and a damaged stream any."""


class _Writer(Protocol):
    def name(self, body: bytes) -> None:
        """Keep the body of a NAME frame."""

    def meta(self, values: Mapping[str, object]) -> None:
        """Keep metadata."""


class Variables:
    """Describes each variable before its first event."""

    def __init__(self, writer: _Writer, elf: Path) -> None:
        """Describe variables of an ELF file, which is read with the first event."""
        self._writer = writer
        self._elf = elf
        self._data: Data | None = None
        self._known: set[int] = set()

    def describe(self, rows: Iterable[Row]) -> None:
        """Describe the variables of these events.

        Raises:
            FirmwareError: the ELF file cannot be read.
            TapeError: the tape cannot take it.
        """
        new = {row[2] for row in rows if row[1] in SIGNALS} - self._known
        if not new or len(self._known) >= _MOST:
            return
        self._known |= new
        data = self._data = self._data or Data.read(self._elf)
        readings: dict[str, object] = {}
        for address in sorted(new):
            place = data.at(address)
            if place is None:
                continue
            self._writer.name(name_body(ObjectKind.SIGNAL, address, place.name))
            if place.reading is not None:
                readings[f"{META_KEY}{address}"] = place.reading.as_json()
        if readings:
            self._writer.meta(readings)


def name_body(kind: ObjectKind, number: int, text: str, parent: int = 0) -> bytes:
    """Build the body of a NAME frame."""
    fixed = dict.fromkeys(("state", "priority", "cpu"), 0)
    head: bytes = NAME.build({**fixed, "kind": kind, "id": number, "parent": parent})
    return head + text.encode()
