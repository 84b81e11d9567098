"""Kinds of files: every reader names the kind of a foreign file and the command for it."""

from __future__ import annotations

import gzip
import struct
from typing import TYPE_CHECKING

import pytest

from tests.support.command import assert_complaint
from tests.support.target import target_with_events
from tests.support.tpiu import formatted
from tickertape.file_kinds import KINDS, kind_of, kind_of_bytes
from tickertape.formats.registry import conversions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

LINUX = b"          <idle>-0     [001] d..2.  1042.000010: sched_switch: prev_comm=swapper/1\n"
NUTTX = b"   task0-0   [0]   7.000000000: irq_handler_entry: irq=11\n"
METADATA = b"/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\n"

# Name of a kind, and files of it.
FILES: dict[str, list[bytes]] = {
    "empty": [b""],
    "zeros": [bytes(100)],
    "kev": [b"TRACE_HEADER_BEGIN::TRACE_FILE_NAME::x.kev"],
    "jtracer": [b"version 1.2\0" + bytes(20)],
    "btf": [
        b"#version 2.2.0\n0,Core_0,0,T,a,0,start\n",
        b"# a comment\n\n12,Core_0,0,T,a,0,activate\n",
        b"-1,x\n#version 2.1\n"[5:],
    ],
    "ctf-metadata": [METADATA],
    "ctf": [struct.pack("<II", 0xC1FC1FC1, 0) + bytes(29), struct.pack(">I", 0xC1FC1FC1)],
    "pcap": [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1), b"\x0a\x0d\x0d\x0a" * 2],
    "tpiu": [formatted([(1, byte) for byte in b"0123456789" * 9])],
    "itm": [bytes(5) + b"\x80\x01a"],
    "systemview": [
        b";\n; Version     SEGGER SystemViewer V2.42\n; Author x\n;\n" + bytes(10),
        b"; Version SEGGER SystemView V3.52\r\n;\r\n",
        bytes(10) + b"\x0a\x18",
    ],
    "tracerecorder": [b"\0FSP\x0e\0", bytes.fromhex("0102030471727374f1f2f3f4") + bytes(8)],
    "tracex": [b"BTXT" + bytes(60)],
    "trace.dat": [b"\x17\x08\x44tracing6\0"],
    "linux-ftrace": [b"# tracer: nop\n#\n" + LINUX, LINUX, NUTTX, b"cpus=4\n" + LINUX],
    "timeline-json": [b'{"traceEvents": [', b'{\n "displayTimeUnit": "ns"', b'[{"name": "a"'],
    "parquet": [b"PAR1" + bytes(8)],
    "arrow": [b"ARROW1\0\0"],
    "sqlite": [b"SQLite format 3\0" + bytes(84)],
    "vcd": [b"$date today $end\n"],
    "elf": [b"\x7fELF\x01\x01\x01" + bytes(9) + b"\x02\0"],
    "elf-core": [b"\x7fELF\x01\x01\x01" + bytes(9) + b"\x04\0"],
    "intel-hex": [b":020000040800F2\n"],
    "s-record": [b"S00F000068656C6C6F202020202000003C\r\n"],
    "uf2": [b"UF2\nWQ]\x9e"],
    "zephyr-core": [b"ZE\x02\0\x03\0"],
    "gzip": [gzip.compress(b"x")],
    "compressed": [b"PK\x03\x04" + bytes(20)],
    "tar": [b"name" + bytes(253) + b"ustar\0"],
    "page": [b"<!DOCTYPE html><html>"],
    "json": [b'{"a": 1}\n{"a": 2}\n'],
    "utf-16": ["\ufefftext".encode("utf-16-le")],
    "text": [b"boot: hello\r\nwaiting\n", "\N{BULLET} hello\n".encode()],
}
CERTAIN = sorted(FILES.keys() - {"empty", "zeros", "text", "gzip", "utf-16"})


@pytest.mark.parametrize("name", FILES)
def test_each_file_has_its_kind(name: str) -> None:
    for data in FILES[name]:
        kind = kind_of_bytes(data)
        assert kind is not None, data
        assert kind.name == name, data


def test_each_kind_is_tried(tape: Path) -> None:
    found = kind_of(tape)
    assert found is not None
    assert found.name == "tape"
    target = target_with_events()
    target.finish()
    frames = kind_of_bytes(b"".join(sent.data for sent in target.frames))
    assert frames is not None
    assert frames.name == "frames"
    assert {kind.name for kind in KINDS} == FILES.keys() | {"tape", "frames"}


def test_the_reader_of_each_kind_exists() -> None:
    for kind in KINDS:
        assert set(kind.readers) <= conversions("IMPORTS").keys()


def test_a_stream_is_recognised_by_the_metadata_beside_it(tmp_path: Path) -> None:
    (tmp_path / "channel0_0").write_bytes(b"\x01\x02\x03\x04\x1c")
    assert kind_of(tmp_path / "channel0_0") is None
    (tmp_path / "metadata").write_bytes(METADATA)
    kind = kind_of(tmp_path / "channel0_0")
    assert kind is not None
    assert kind.name == "zephyr-ctf"


def test_a_folder_or_a_missing_file_has_no_kind(tmp_path: Path) -> None:
    assert kind_of(tmp_path) is None
    assert kind_of(tmp_path / "none") is None


@pytest.mark.parametrize("name", sorted(conversions("IMPORTS")))
def test_each_import_names_another_kind(
    tickertape_inside: Command, tmp_path: Path, name: str
) -> None:
    options = ("--hz", "1000") if name == "itm" else ()
    for kind in (one for one in KINDS if one.name in CERTAIN and name not in one.readers):
        (tmp_path / "in").write_bytes(FILES[kind.name][0])
        done = tickertape_inside("import", name, "in", "-o", "out", *options)
        assert_complaint(done, 4, "in does not look like", f"it is {kind.description}")
        assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("name", sorted(FILES.keys() - {"empty", "zeros"}))
def test_info_names_the_kind_and_the_command(
    tickertape_inside: Command, tmp_path: Path, name: str
) -> None:
    (tmp_path / "in").write_bytes(FILES[name][0])
    kind = next(one for one in KINDS if one.name == name)
    done = tickertape_inside("info", "in")
    assert_complaint(done, 4, f"in is not a tape, but {kind.description}; {kind.advice('in')}")


def test_linux_ftrace_is_not_the_ftrace_of_shark(
    tickertape_inside: Command, tmp_path: Path
) -> None:
    (tmp_path / "dump.txt").write_bytes(NUTTX * 20)
    done = tickertape_inside("import", "ftrace", "dump.txt", "-o", "T.tape")
    assert_complaint(done, 4, "S.Ha.R.K.", "text of Linux' ftrace", "no command reads it")
