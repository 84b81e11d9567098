"""The kinds of files that a person may give to tickertape: one table of signatures for all readers.

    kind = kind_of(Path("trace.kev"))
    kind.description        # "a kernel trace of QNX Neutrino"
    kind.advice(path)       # "type: tickertape import kev trace.kev -o T.tape"

A kind is a signature: bytes that begin the file, a pattern in its first bytes, or a test. The first
kind of `KINDS` that matches is the kind of a file. Every reader refuses a file of another kind with
this name, and with the command that reads it. Formats without any signature (records of one size,
streams without a header) are recognised by their readers, which judge the records.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.decode.frames import FrameDecoder
from tickertape.errors import ForeignFile
from tickertape.protocol.wire import TAPE_HEADER_MAGIC

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEAD_BYTES: Final = 1 << 16
"""Number of bytes at the begin of a file that decide its kind."""

_NOT_READ: Final = "no command reads it; tickertape import --help lists what is read"
_FRAMES_LEAST: Final = 2
_TAR_MARK: Final = (257, b"ustar")
_SNAPSHOT: Final = bytes.fromhex("01020304 71727374 f1f2f3f4")
_TEXT_BYTES: Final = frozenset({*range(0x20, 0x7F), *b"\t\r\n\f\x1b", *range(0x80, 0x100)})


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file.

    Attributes:
        name: unique word, e.g. `kev`.
        description: the kind with its article, in the middle of a sentence.
        command: command that reads the file, with FILE in place of its path; empty when no command
            does.
        readers: names of `tickertape import` that accept the file.
        begins: byte strings; the file begins with one of them. Empty to match by the others.
        pattern: pattern that matches at the begin of the file.
        test: decides about the first `HEAD_BYTES` bytes.
    """

    name: str
    description: str
    command: str = ""
    readers: tuple[str, ...] = ()
    begins: tuple[bytes, ...] = ()
    pattern: re.Pattern[bytes] | None = None
    test: Callable[[bytes], bool] | None = None

    def matches(self, head: bytes) -> bool:
        """Return whether the first bytes of a file are of this kind."""
        if self.begins and head.startswith(self.begins):
            return True
        if self.pattern is not None and self.pattern.match(head):
            return True
        return self.test is not None and self.test(head)

    def advice(self, path: Path | str) -> str:
        """Return what to do with a file of this kind."""
        if not self.command:
            return _NOT_READ
        return f"type: {self.command.replace('FILE', str(path))}"


def _has_frames(head: bytes) -> bool:
    decoder = FrameDecoder()
    decoder.receive(head)
    return decoder.counters.frames >= _FRAMES_LEAST


def _is_tar(head: bytes) -> bool:
    at, mark = _TAR_MARK
    return head.startswith(mark, at)


def _is_text(head: bytes) -> bool:
    return bool(head) and _TEXT_BYTES.issuperset(head)


def _is_empty(head: bytes) -> bool:
    return not head


def _is_zeros(head: bytes) -> bool:
    return bool(head) and not any(head)


def _import(name: str) -> str:
    return f"tickertape import {name} FILE -o T.tape"


def _lines(pattern: bytes) -> re.Pattern[bytes]:
    """Return a pattern for the first line of a text, after empty lines and comments of `#`."""
    return re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t]*(?:#[^\n]*)?\r?\n)*" + pattern)


_FTRACE_LINE: Final = _lines(
    rb"(?:CPU \d+ is empty|cpus=\d+|[ \t]*\S[^\n]{0,60}?-\d+[ \t]+(?:\([^)\n]*\)[ \t]*)?"
    rb"\[\d+\][ \t]+(?:\S{4,6}[ \t]+)?\d+\.\d+:[ \t])"
)

KINDS: Final = (
    FileKind("empty", "an empty file", test=_is_empty),
    FileKind("zeros", "a file of zeros", test=_is_zeros),
    FileKind("tape", "a tape", "tickertape info FILE", begins=(TAPE_HEADER_MAGIC,)),
    FileKind(
        "kev", "a kernel trace of QNX Neutrino", _import("kev"), ("kev",), (b"TRACE_HEADER_BEGIN",)
    ),
    FileKind(
        "jtracer",
        "a file of JTracer",
        _import("jtracer"),
        ("jtracer",),
        pattern=re.compile(rb"version \d{1,4}\.\d{1,4}\0"),
    ),
    FileKind(
        "btf",
        "a trace in the Best Trace Format",
        _import("btf"),
        ("btf",),
        pattern=re.compile(
            rb"(?:\xef\xbb\xbf)?(?:#[^\n]*\n|\s)*?"
            rb"(?:#version|\d+,[^,\n]+,-?\d+,(?:T|I|R|C|STI|SEM|SIG|OS|M|SCHED|ECU|P|SRC),)"
        ),
    ),
    FileKind(
        "ctf-metadata",
        "metadata of CTF",
        "tickertape import zephyr-ctf FOLDER -o T.tape (the folder of the metadata)",
        begins=(b"/* CTF 1.8", b"/* CTF 2", b"\x75\xd1\x1d\x57", b"\x57\x1d\xd1\x75", b"\x1e{"),
    ),
    FileKind(
        "ctf",
        "a stream of CTF with packets",
        _import("zephyr-ctf"),
        ("zephyr-ctf",),
        (b"\xc1\x1f\xfc\xc1", b"\xc1\xfc\x1f\xc1"),
    ),
    FileKind(
        "pcap",
        "a capture of a network",
        "tickertape udpdump FILE -o RECORDS",
        begins=(
            *(b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d"),
            b"\x0a\x0d\x0d\x0a",
        ),
    ),
    FileKind(
        "tpiu",
        "a recording of a trace port, in frames of a TPIU",
        "tickertape import itm FILE -o T.tape --hz HZ",
        ("itm",),
        (b"\xff\xff\xff\x7f",),
    ),
    FileKind(
        "itm",
        "packets of a trace unit, ITM and DWT",
        "tickertape import itm FILE -o T.tape --hz HZ",
        ("itm",),
        pattern=re.compile(rb"\0{5,16}\x80"),
    ),
    FileKind(
        "systemview",
        "a recording of SEGGER SystemView",
        pattern=re.compile(rb"(?:;[^\n]*\r?\n){0,8}?;[^\n]*SystemView"),
        begins=(b"\0" * 10 + b"\x0a",),
    ),
    FileKind(
        "tracerecorder",
        "a recording of Percepio's TraceRecorder",
        begins=(b"\0FSP", b"PSF\0", _SNAPSHOT),
    ),
    FileKind(
        "tracex", "a trace of ThreadX for TraceX", begins=(b"TRTX", b"XTRT", b"BTXT", b"TXTB")
    ),
    FileKind("trace.dat", "a trace of Linux, trace.dat", begins=(b"\x17\x08\x44tracing",)),
    FileKind(
        "linux-ftrace",
        "text of Linux' ftrace or of NuttX' notes",
        begins=(b"# tracer:",),
        pattern=_FTRACE_LINE,
    ),
    FileKind(
        "timeline-json",
        "a timeline in JSON, for Chrome or Perfetto",
        pattern=re.compile(
            rb'\s*(?:\{\s*"(?:traceEvents|displayTimeUnit)"|\[\s*\{\s*"(?:ph|name)")'
        ),
    ),
    FileKind("parquet", "a file of Parquet", begins=(b"PAR1",)),
    FileKind("arrow", "a file of Arrow", begins=(b"ARROW1",)),
    FileKind("sqlite", "a database of SQLite", begins=(b"SQLite format 3\0",)),
    FileKind("vcd", "waveforms in VCD", pattern=re.compile(rb"\s*\$(?:date|version|timescale)\b")),
    FileKind(
        "elf-core",
        "an ELF core",
        "tickertape recover FILE --elf FIRMWARE.elf -o T.tape",
        pattern=re.compile(rb"\x7fELF.{12}(?:\x04\0|\0\x04)", re.DOTALL),
    ),
    FileKind("elf", "a program, an ELF file", begins=(b"\x7fELF",)),
    FileKind(
        "intel-hex",
        "memory in Intel HEX",
        "tickertape recover FILE --elf FIRMWARE.elf -o T.tape",
        pattern=re.compile(rb":[0-9A-Fa-f]{10,}\r?\n"),
    ),
    FileKind("s-record", "memory in S-records", pattern=re.compile(rb"S0[0-9A-Fa-f]{6,}\r?\n")),
    FileKind("uf2", "a firmware in UF2", begins=(b"UF2\n",)),
    FileKind("zephyr-core", "a core dump of Zephyr", begins=(b"ZE\x01\0", b"ZE\x02\0")),
    FileKind("gzip", "a file compressed by gzip", readers=("btf",), begins=(b"\x1f\x8b",)),
    FileKind(
        "compressed",
        "a compressed file",
        begins=(b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0", b"BZh", b"7z\xbc\xaf\x27\x1c"),
    ),
    FileKind("tar", "an archive of tar", test=_is_tar),
    FileKind(
        "page", "a page of HTML", pattern=re.compile(rb"\s*<(?:!DOCTYPE html|html)", re.IGNORECASE)
    ),
    FileKind("json", "JSON", pattern=re.compile(rb'\s*(?:\{\s*"|\[\s*[\[{"])')),
    FileKind("utf-16", "text in UTF-16", begins=(b"\xff\xfe", b"\xfe\xff")),
    FileKind(
        "frames",
        "the bytes of a link of tickertape",
        "tickertape capture file:FILE -o T.tape",
        test=_has_frames,
    ),
    FileKind("text", "text", test=_is_text),
)
"""All kinds; the first one that matches is the kind of a file."""

# A reader judges these itself: text may be BTF with errors, an empty file has a message of its own,
# and a stream without a header may begin with any bytes.
_WEAK: Final = frozenset({"empty", "zeros", "text", "gzip", "utf-16"})


ZEPHYR_STREAM: Final = FileKind(
    "zephyr-ctf",
    "a stream of CTF, with its metadata beside it",
    "tickertape import zephyr-ctf FILE -o T.tape",
    ("zephyr-ctf",),
)
"""Kind of a file without a signature, in a folder with metadata of CTF."""


def kind_of(path: Path) -> FileKind | None:
    """Return the kind of a file; None when it is unknown, or cannot be read."""
    head = _head_of(path)
    kind = None if head is None else kind_of_bytes(head)
    if head and (kind is None or kind.name in _WEAK):
        beside = kind_of_bytes(_head_of(path.with_name("metadata")) or b"")
        if beside is not None and beside.name == "ctf-metadata":
            return ZEPHYR_STREAM
    return kind


def _head_of(path: Path) -> bytes | None:
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError:
        return None


def kind_of_bytes(head: bytes) -> FileKind | None:
    """Return the kind of a file by its first `HEAD_BYTES` bytes, or all of a shorter file."""
    return next((kind for kind in KINDS if kind.matches(head)), None)


def refuse_other_kind(path: Path, reader: str, reads: str) -> None:
    """Check that a file is not certainly of a kind that another command reads, or none.

    Args:
        path: the file; one that cannot be read is left to the reader.
        reader: name of the import, e.g. `kev`.
        reads: what the import reads, for the message.

    Raises:
        ForeignFile: the file has the signature of another kind.
    """
    kind = kind_of(path)
    if kind is None or kind.name in _WEAK | {ZEPHYR_STREAM.name} or reader in kind.readers:
        return
    raise ForeignFile(
        f"{path} does not look like {reads}: it is {kind.description}", kind.advice(path)
    )


def with_kind(error: ForeignFile, path: Path, reader: str) -> ForeignFile:
    """Return the error of a reader, with the kind that the file looks like.

    The error stays as it is for a file of the reader's own kind, which is then damaged.
    """
    kind = kind_of(path)
    if kind is None or kind.name == "empty" or reader in kind.readers:
        return error
    if kind.description in error.problem:
        return error
    advice = f"{kind.advice(path)}, or {error.advice}" if kind.command else error.advice
    return ForeignFile(f"{error.problem}: it looks like {kind.description}", advice)
