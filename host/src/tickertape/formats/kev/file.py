"""Reads a trace file of QNX Neutrino: its header, its system page, and its records in blocks.

docs/kev.md has the format. The file is untrusted: every length is checked before use.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.closing import Closing
from tickertape.errors import ForeignFile
from tickertape.formats.record_file import open_foreign
from tickertape.protocol.wire import RECORD_BYTES, ByteOrder, record_dtype

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tickertape.decode.records import Structured

_BEGIN: Final = b"TRACE_HEADER_BEGIN::"
_END: Final = b"TRACE_HEADER_END::"
_KEY: Final = "TRACE_"
_HEADER_LIMIT_BYTES: Final = 1 << 16
_SYSPAGE_LIMIT_BYTES: Final = 1 << 24
_BLOCK_RECORDS: Final = 1 << 16
_ENCODING: Final = "16 byte events"
_ADVICE: Final = "give a file that tracelogger wrote"


@dataclass(frozen=True, slots=True)
class KevHeader:
    """The header before the records.

    Attributes:
        values: values by key without `TRACE_`, in the order of the file; of a repeated key, the
            last one.
        byte_order: byte order of the records.
        syspage: the system page, raw bytes.
    """

    values: Mapping[str, str]
    byte_order: ByteOrder
    syspage: bytes

    def number(self, key: str) -> int | None:
        """Return a value as a number; None when it is missing or not a number."""
        text = self.values.get(key, "").strip()
        return (
            int(text)
            if text.isascii() and text.isdigit() and len(text) <= len(str(1 << 64))
            else None
        )


class KevFile(Closing):
    """A trace file, open for reading; use it as a context manager.

    Attributes:
        path: path of the file.
        header: the header.
        rest_bytes: bytes of a truncated record at the end; valid after all blocks were read.
    """

    def __init__(self, path: Path | str) -> None:
        """Open a file and read its header.

        Raises:
            TapeMissing: the file does not exist or is not readable.
            ForeignFile: the file is not a QNX trace, or its header is damaged or truncated.
        """
        self.path = Path(path)
        self.rest_bytes = 0
        self._file = open_foreign(self.path)
        try:
            self.header = self._read_header()
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def blocks(self) -> Iterator[Structured]:
        """Yield the records in order as structured arrays, `wire.record_dtype`; call it once."""
        dtype = record_dtype(self.header.byte_order)
        while data := self._file.read(_BLOCK_RECORDS * RECORD_BYTES):
            count, self.rest_bytes = divmod(len(data), RECORD_BYTES)
            if count:
                yield np.frombuffer(data, dtype, count)

    def _read_header(self) -> KevHeader:
        head = self._file.read(_HEADER_LIMIT_BYTES)
        if not head.startswith(_BEGIN):
            raise ForeignFile(f"{self.path} is not a kernel trace of QNX", _ADVICE)
        end = head.find(_END)
        if end < 0:
            raise ForeignFile(f"{self.path} ends within its header", "copy it again, whole")
        values = _values(head[:end].decode(errors="replace"))
        byte_order = self._byte_order(values)
        header = KevHeader(values, byte_order, b"")
        if values.get("ENCODING", _ENCODING) != _ENCODING:
            raise ForeignFile(
                f"{self.path} has records of the form {values['ENCODING']!r}",
                f"only {_ENCODING!r} can be read",
            )
        size = header.number("SYSPAGE_LEN")
        if size is None or size > _SYSPAGE_LIMIT_BYTES:
            raise ForeignFile(
                f"{self.path} does not contain the length of its system page",
                "where the records begin cannot be known; copy it again",
            )
        self._file.seek(end + len(_END))
        syspage = self._file.read(size)
        if len(syspage) < size:
            raise ForeignFile(f"{self.path} ends within its system page", "copy it again, whole")
        return KevHeader(values, byte_order, syspage)

    def _byte_order(self, values: Mapping[str, str]) -> ByteOrder:
        little, big = "LITTLE_ENDIAN" in values, "BIG_ENDIAN" in values
        if little == big or "MIDDLE_ENDIAN" in values:
            raise ForeignFile(f"{self.path} does not contain its byte order", _ADVICE)
        return ByteOrder.LITTLE if little else ByteOrder.BIG


def _values(text: str) -> dict[str, str]:
    """Split the text into `TRACE_KEY::value` pairs; a value ends where the next key begins."""
    found: dict[str, str] = {}
    for pair in text.split(_KEY):
        key, mark, value = pair.partition("::")
        if mark:
            found.pop(key, None)
            found[key] = value
    return found
