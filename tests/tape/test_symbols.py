"""Symbols of a firmware on its tape."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import wire_bytes
from tests.support.target import SimulatedTarget
from tickertape.collector import CaptureOptions, capture
from tickertape.decode.bodies import BadBodyError
from tickertape.edit.cut import Range, cut
from tickertape.edit.repair import repair
from tickertape.edit.rotate import RotatingWriter, Rotation
from tickertape.errors import DictionaryMismatch, FirmwareError
from tickertape.link import MemoryLink
from tickertape.model.code_names import CodeNames
from tickertape.symbols.elf import Symbols
from tickertape.symbols.symbol import Symbol
from tickertape.tape import TapeReader, TapeWriter
from tickertape.tape.symbol_table import SymbolRow, build_symbols, parse_symbols
from tickertape.tape.tail import TapeTail

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

WORDS = st.integers(0, 2**32 - 1)
ROWS = [SymbolRow(0x1000, 16, "main"), SymbolRow(0x2000_0000, 4, "käfig")]
BUILD = bytes(range(1, 21))


@given(st.lists(st.builds(SymbolRow, WORDS, WORDS, st.text())))
def test_what_is_built_is_parsed(rows: list[SymbolRow]) -> None:
    table = parse_symbols(build_symbols(BUILD, rows))
    assert (table.build_id, list(table.rows)) == (BUILD, rows)


def test_the_layout_is_that_of_spec() -> None:
    body = build_symbols(b"", ROWS[:1])
    assert body == (
        (1).to_bytes(4, "little")
        + bytes(24)
        + b"\0\x10\0\0"
        + b"\x10\0\0\0"
        + b"\0\0\0\0"
        + b"\x04\0\0\0"
        + b"main"
    )
    assert parse_symbols(body).build_id == b""


def test_nonsense_is_refused() -> None:
    body = build_symbols(BUILD, ROWS)
    for size in range(len(body)):
        with pytest.raises(BadBodyError):
            parse_symbols(body[:size])


def test_names_that_share_their_bytes_are_refused() -> None:
    """Overlapping names would let a small chunk use unlimited memory."""
    entry = (0).to_bytes(12, "little") + (1000).to_bytes(4, "little")
    body = (50).to_bytes(4, "little") + bytes(24) + entry * 50 + b"x" * 1000
    with pytest.raises(BadBodyError, match="names"):
        parse_symbols(body)


def write_two_builds(path: Path) -> None:
    """Write a tape with two boots: a build with symbols on the tape, and another build."""
    with TapeWriter(path) as writer:
        writer.symbols(build_symbols(bytes(19) + b"\1", [SymbolRow(0, 0, "wrong")]))
        writer.symbols(build_symbols(BUILD, ROWS))
        writer.hello(wire_bytes.hello_body(build_id=BUILD))
        writer.new_epoch()
        writer.hello(wire_bytes.hello_body(build_id=bytes(20 * [7])))


def test_a_boot_gets_the_names_of_its_build_or_none(tmp_path: Path) -> None:
    write_two_builds(tmp_path / "t.tape")
    with TapeReader(tmp_path / "t.tape") as reader:
        names = CodeNames(reader)
        first = names.of(0)
        assert first is not None
        assert first.lookup(0x1004) == "main+0x4"
        assert names.of(1) is None
        assert reader.issues == []
    with TapeTail(tmp_path / "t.tape") as tail:
        list(tail.poll())
        first = CodeNames(tail).of(0)
        assert first is not None
        assert first.lookup(0x2000_0000) == "käfig"


def test_without_a_build_id_nobody_can_tell_whose_they_are(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.symbols(build_symbols(b"", ROWS))
        writer.hello(wire_bytes.hello_body())
    with TapeReader(tmp_path / "t.tape") as reader:
        assert CodeNames(reader).of(0) is None


def test_an_elf_file_counts_for_boots_of_its_build(tmp_path: Path) -> None:
    write_two_builds(tmp_path / "t.tape")
    given = Symbols([Symbol(0, 8, "given")], bytes(20 * [7]))
    with TapeReader(tmp_path / "t.tape") as reader:
        names = CodeNames(reader, given)
        assert names.of(1) is given
        assert names.of(0) is not given
        stranger = Symbols([Symbol(0, 8, "given")], bytes(20 * [8]))
        with pytest.raises(FirmwareError, match="the traced firmware was build"):
            CodeNames(reader, stranger)
        forced = CodeNames(reader, stranger, force=True)
        assert (forced.of(0), forced.of(1)) == (stranger, stranger)


def test_cut_and_repair_keep_them(tmp_path: Path) -> None:
    target = SimulatedTarget(boot_id=1)
    target.hello()
    target.reset(boot_id=2, now=5)
    target.hello()
    target.advance(100)
    target.record((0, 0), 6, 1, 2, 3)
    target.finish()
    symbols = Symbols([Symbol(*row) for row in ROWS], BUILD)
    options = CaptureOptions(handle_signals=False, symbols=symbols)
    result = capture(MemoryLink([target.sent_bytes()]), tmp_path / "t.tape", options)
    assert [type(problem) for problem in result.problems] == [DictionaryMismatch, FirmwareError]
    with TapeReader(tmp_path / "t.tape") as reader:
        cut(reader, tmp_path / "c.tape", Range(), epoch=1)
    repair(tmp_path / "c.tape", tmp_path / "r.tape")
    for name in ("t", "c", "r"):
        with TapeReader(tmp_path / f"{name}.tape") as reader:
            (table,) = reader.symbol_tables
            assert list(table.rows) == ROWS


def test_each_part_of_a_rotation_has_them(tmp_path: Path) -> None:
    with RotatingWriter(tmp_path / "t.tape", Rotation(1)) as writer:
        writer.symbols(build_symbols(BUILD, ROWS))
        writer.hello(wire_bytes.hello_body(build_id=BUILD))
        for _ in range(3):
            writer.text(b"x")
            writer.flush()
    assert len(writer.parts) > 2
    for part in writer.parts:
        with TapeReader(part) as reader:
            assert list(reader.symbol_tables[0].rows) == ROWS


def test_symbols_larger_than_a_part_do_not_begin_a_new_one_each_time(tmp_path: Path) -> None:
    many = [SymbolRow(at, 4, f"function_{at}") for at in range(0, 40_000, 4)]
    with RotatingWriter(tmp_path / "t.tape", Rotation(64 << 10)) as writer:
        writer.symbols(build_symbols(BUILD, many))
        writer.hello(wire_bytes.hello_body(build_id=BUILD))
        for number in range(2000):
            writer.text(bytes(100))
            if number % 10 == 0:
                writer.flush()
    assert 2 <= len(writer.parts) <= 9


def test_a_disk_that_is_full_at_once(tickertape: Command, tmp_path: Path) -> None:
    """If not even the symbols fit, the command reports one line, and the tape opens."""
    code = (
        "import resource, sys; from tickertape.cli.main import main; "
        "limit = resource.getrlimit(resource.RLIMIT_FSIZE); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (600, limit[1])); "
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "code = main(['capture', '-', '-o', 't.tape', '--symbols', sys.argv[1]]); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, limit); "  # for the files that coverage writes
        "sys.exit(code)"
    )
    elf = tickertape("build", "--target", "native").stdout.strip()
    done = subprocess.run(
        [sys.executable, "-c", code, elf],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4, done.stderr
    assert done.stderr.count("\n") == 1
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.symbol_tables == []


def test_the_command(tickertape: Command, tmp_path: Path) -> None:
    run = ("run", "--target", "native", "--duration", "0.1")
    assert tickertape(*run, "-o", "t.tape", "--symbols").returncode == 0
    with TapeReader(tmp_path / "t.tape") as reader:
        (table,) = reader.symbol_tables
        assert reader.hello is not None
        assert table.build_id.hex() == reader.hello.build_id
        assert "main" in {row.name for row in table.rows}
    done = tickertape("capture", "-", "-o", "x.tape", "--symbols", "nowhere.elf")
    assert done.returncode == 6
