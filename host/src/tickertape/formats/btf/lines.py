"""Reads a file of arbitrary contents line by line: meta section, comments, events.

    for item in BtfLines(path).items():
        match item: ...

Memory does not depend on the file: a line of more than `LINE_BYTES` bytes is skipped and reported.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, TypeAlias, cast

from tickertape.errors import ForeignFile, TapeMissing
from tickertape.formats.btf.tables import BLIND_MARKS

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_BYTES: Final = 16_384
_BLOCK_BYTES: Final = 1 << 18
_GZIP: Final = b"\x1f\x8b"
_FIELDS: Final = 7
_MOST_DIGITS: Final = 19
_NUMBER: Final = re.compile(r"[0-9]+")
_PARAMETER: Final = re.compile(r"#([A-Za-z_]+)(?:\s+(.*))?")
_ROW: Final = re.compile(r"#-(\S+)\s*(.*)")


@dataclass(frozen=True, slots=True)
class BtfEvent:
    """One event.

    Attributes:
        line: line number, from 1.
        time: time in the unit of the file.
        source: name of the source.
        source_instance: instance of the source; None where the field is empty or -1.
        type: type of the target.
        target: name of the target.
        instance: instance of the target; None where the field is empty or -1.
        event: name of the event.
        note: the eighth field; None when missing.
    """

    line: int
    time: int
    source: str
    source_instance: int | None
    type: str
    target: str
    instance: int | None
    event: str
    note: str | None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the meta section."""

    line: int
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of the table that the last parameter opened."""

    line: int
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Blind:
    """A comment that invalidates earlier states."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line with a syntax error, or one that is too long."""

    line: int
    rule: str
    why: str


Item: TypeAlias = BtfEvent | Parameter | TableRow | Blind | BadLine


class BtfLines:
    """A file, plain or compressed by gzip.

    Attributes:
        path: path of the file.
        read_bytes: uncompressed bytes read since the file was last opened.
    """

    def __init__(self, path: Path | str) -> None:
        """Check that the file is readable text.

        Raises:
            TapeMissing: the file does not exist or is not readable.
            ForeignFile: the file is empty or not text.
        """
        self.path = Path(path)
        self.read_bytes = 0
        with self._open() as file:
            head = self._read(file, 4096)
        if not head.strip():
            raise ForeignFile(f"{self.path} is empty", "name a trace in the Best Trace Format")
        if b"\0" in head:
            raise ForeignFile(
                f"{self.path} is not a text file", "name a trace in the Best Trace Format"
            )

    def items(self) -> Iterator[Item]:
        """Yield the items of the whole file; may be called again.

        Raises:
            ForeignFile: the file cannot be read, or its compressed data are damaged.
        """
        for number, raw in enumerate(self._lines(), 1):
            if raw is None:
                yield BadLine(number, "syntax-line", f"it is longer than {LINE_BYTES} bytes")
                continue
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")  # noqa: PLW2901 - byte order mark
            item = self._item(number, raw.decode("utf-8", errors="replace").strip())
            if item is not None:
                yield item

    def _item(self, number: int, text: str) -> Item | None:
        if not text:
            return None
        if text[0] != "#":
            return _event(number, text)
        if text.startswith("#-"):
            row = _ROW.fullmatch(text)
            return TableRow(number, row[1], row[2].strip()) if row else None
        found = _PARAMETER.fullmatch(text)
        if found:
            return Parameter(number, found[1], (found[2] or "").strip())
        return Blind(number, text) if text.startswith(BLIND_MARKS) else None

    def _lines(self) -> Iterator[bytes | None]:
        """Yield lines without line ends; None for each line that is too long."""
        rest, is_long = b"", False
        with self._open() as file:
            while block := self._read(file, _BLOCK_BYTES):
                first, *more = block.split(b"\n")
                rest += first
                for line in more:
                    yield None if is_long or len(rest) > LINE_BYTES else rest
                    rest, is_long = line, False
                if len(rest) > LINE_BYTES:
                    rest, is_long = b"", True
            if rest or is_long:
                yield None if is_long else rest

    def _open(self) -> IO[bytes]:
        try:
            with self.path.open("rb") as file:
                is_gzip = file.read(2) == _GZIP
            self.read_bytes = 0
            opener = gzip.open if is_gzip else open
            opened = opener(self.path, "rb")
        except OSError as error:
            raise TapeMissing(
                f"{self.path} cannot be opened ({error.strerror})", "check the name"
            ) from error
        return cast("IO[bytes]", opened)

    def _read(self, file: IO[bytes], size: int) -> bytes:
        try:
            block = file.read(size)
        except (OSError, EOFError) as error:
            raise ForeignFile(f"{self.path} cannot be read ({error})", "copy it again") from error
        except Exception as error:  # zlib.error is not an OSError
            raise ForeignFile(
                f"{self.path} is compressed, and damaged ({error})", "copy it again"
            ) from error
        self.read_bytes += len(block)
        return block


def _instance(text: str) -> int | None:
    """Parse an instance number; None for an empty field or -1.

    Raises:
        ValueError: the text is not an instance number.
    """
    if not text or text == "-1":
        return None
    if not _NUMBER.fullmatch(text) or len(text) > _MOST_DIGITS:
        raise ValueError(text)
    return int(text)


def _event(number: int, text: str) -> BtfEvent | BadLine:
    fields = [part.strip() for part in text.split(",", _FIELDS)]
    if len(fields) < _FIELDS:
        return BadLine(
            number, "syntax-fields", f"an event has 7 or 8 fields, this line has {len(fields)}"
        )
    time, source, source_instance, type_, target, instance, event, *note = fields
    if not _NUMBER.fullmatch(time) or len(time) > _MOST_DIGITS:
        return BadLine(
            number, "syntax-number", f"{time[:40]!r} is not a time, an integer from 0 on"
        )
    try:
        instances = _instance(source_instance), _instance(instance)
    except ValueError as error:
        return BadLine(
            number, "syntax-number", f"{str(error)[:40]!r} is not a number of an instance"
        )
    if not source or not target or not event:
        return BadLine(number, "syntax-fields", "source, target or event is empty")
    return BtfEvent(
        *(number, int(time), _plain(source), instances[0], _plain(type_)),
        *(_plain(target), instances[1], event, note[0] if note else None),
    )


def _plain(name: str) -> str:
    """Remove the double quotes of version 2.1.3."""
    if len(name) > 1 and name[0] == name[-1] == '"':
        return name[1:-1]
    return name
