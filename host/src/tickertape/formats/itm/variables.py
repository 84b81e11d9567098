"""Writes names and types of watched variables from the firmware's ELF file to the tape."""

from __future__ import annotations

from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING, Final, Protocol

from tickertape.errors import FirmwareError
from tickertape.model.codes import SIGNALS
from tickertape.protocol.wire import NAME, ObjectKind
from tickertape.symbols.data import Data
from tickertape.symbols.reading import META_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tickertape.model.hardware_time import Row


_MOST: Final = 1 << 16
"""Most described addresses: a damaged stream may contain any number of addresses."""


class _Writer(Protocol):
    def name(self, body: bytes) -> None:
        """Store the body of a NAME frame."""

    def meta(self, values: Mapping[str, object]) -> None:
        """Store metadata."""


class Variables:
    """Describes each variable that occurs in an event.

    A thread reads the ELF file from the first such event on, because debug information may take
    seconds to read and the caller must not block a link.

    Attributes:
        failure: why the ELF file could not be read; empty otherwise.
    """

    def __init__(self, writer: _Writer, elf: Path | None) -> None:
        """Describe variables of an ELF file; with None, describe nothing."""
        self.failure = ""
        self._writer = writer
        self._elf = elf
        self._data: Future[Data] | None = None
        self._known: set[int] = set()
        self._waiting: set[int] = set()

    def describe(self, rows: Iterable[Row]) -> None:
        """Describe the variables of these events as soon as the ELF file is read.

        Raises:
            TapeError: the tape cannot be written.
        """
        if self._elf is None:
            return
        new = {row[2] for row in rows if row[1] in SIGNALS} - self._known
        if new and len(self._known) < _MOST:
            self._known |= new
            self._waiting |= new
        if self._waiting and self._data is None:
            self._data = Future()
            Thread(target=_read, args=[self._elf, self._data], daemon=True).start()
        if self._data is not None and self._data.done():
            self._describe(self._data)

    def forget(self) -> None:
        """Forget the described variables, because another boot needs its own descriptions."""
        self._known.clear()
        self._waiting.clear()

    def finish(self, *, is_strict: bool = False) -> None:
        """Wait for the ELF file and describe the remaining variables.

        Args:
            is_strict: whether to raise an error for an unreadable ELF file.

        Raises:
            FirmwareError: the ELF file cannot be read, and `is_strict`.
            TapeError: the tape cannot be written.
        """
        if self._data is not None:
            self._describe(self._data)
        if is_strict and self.failure:
            raise FirmwareError(self.failure, "name the ELF file of the firmware")

    def _describe(self, data: Future[Data]) -> None:
        waiting, self._waiting = self._waiting, set()
        if self.failure or not waiting:
            return
        try:
            known = data.result()
        except FirmwareError as error:
            self.failure = error.problem
            return
        readings: dict[str, object] = {}
        for address in sorted(waiting):
            place = known.at(address)
            if place is None:
                continue
            self._writer.name(name_body(ObjectKind.SIGNAL, address, place.name))
            if place.reading is not None:
                readings[f"{META_KEY}{address}"] = place.reading.as_json()
        if readings:
            self._writer.meta(readings)


def _read(elf: Path, data: Future[Data]) -> None:
    try:
        data.set_result(Data.read(elf))
    except BaseException as error:  # noqa: BLE001 - the waiting thread raises it
        data.set_exception(error)


def name_body(kind: ObjectKind, number: int, text: str, parent: int = 0) -> bytes:
    """Build the body of a NAME frame."""
    fixed = dict.fromkeys(("state", "priority", "cpu"), 0)
    head: bytes = NAME.build({**fixed, "kind": kind, "id": number, "parent": parent})
    return head + text.encode()
