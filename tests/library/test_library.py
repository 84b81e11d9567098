"""libtickertape returns the same as the Python host for complete, damaged and cut tapes."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.library.printed import lines_of
from tests.support import lossy_tapes
from tests.support.patience import HANG_S
from tests.support.programs import ROOT
from tests.support.tapes import busy, write
from tickertape.analysis.balance import balance_of
from tickertape.cli.main import main
from tickertape.link import MemoryLink
from tickertape.protocol.events import EVENTS
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process
HERE = ROOT / "tests/library"
DAMAGED = sorted((ROOT / "tests/data/damaged").glob("*.tape"))
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")


def make_library(folder: Path, sanitize: str = "") -> Path:
    """Build libtickertape and its example in a folder, and return the folder."""
    line = ["make", "-s", "-C", str(ROOT / "host/library"), f"OUT={folder}", f"SANITIZE={sanitize}"]
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=HANG_S)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def run(*words: Path | str) -> str:
    """Run a program to its end and return its output."""
    done = subprocess.run(
        list(map(str, words)), capture_output=True, text=True, check=False, timeout=HANG_S
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("sanitized"), "address,undefined")


def printed(library: Path, tape: Path) -> list[str]:
    """Return those lines of print_tape that `lines_of` makes, too."""
    lines = run(library / "print_tape", tape).splitlines()
    state = "closed" if lines.pop().endswith(" closed") else "not closed"
    return [*(line for line in lines if not line.startswith("boot ")), state]


def test_the_tape_of_a_firmware(library: Path, tmp_path: Path) -> None:
    tape = tmp_path / "run.tape"
    assert main(["run", "-q", "--target", "native", "--duration", "2", "-o", str(tape)]) == 0
    lines = printed(library, tape)
    assert lines == lines_of(tape)
    assert len(lines) > 10_000
    assert lines[-3].startswith("total offered") and lines[-3].endswith(" final")  # noqa: PT018
    boot = run(library / "print_tape", tape).splitlines()[0]
    with TapeReader(tape) as reader:
        assert boot == f"boot 0 {reader.clock(0).hz} Hz 1 CPUs {reader.target_of(0)}"


def test_two_cpus_of_the_emulator(library: Path, tmp_path: Path) -> None:
    tape = tmp_path / "run.tape"
    words = ["run", "-q", "--target", "qemu-dual", "--example", "first_tape", "--duration", "1"]
    assert main([*words, "-o", str(tape)]) == 0
    lines = printed(library, tape)
    assert lines == lines_of(tape)
    assert {line.split()[3] for line in lines if line.startswith("event ")} == {"0", "1"}


@pytest.mark.parametrize("tape", DAMAGED, ids=lambda path: path.stem)
def test_damaged_tapes(library: Path, tape: Path) -> None:
    assert printed(library, tape) == lines_of(tape)
    state = run(library / "print_tape", tape).splitlines()[-1].split()
    with TapeReader(tape) as reader:
        known = [row for row in range(len(reader.chunks)) if reader.chunks["type"][row] < 16]
        damaged = sum(reader.body_at(row) is None for row in known)
        assert state[1:7] == [
            *("chunks", str(len(reader.chunks)), "damaged", str(damaged)),
            *("unknown", str(reader.unknown_chunks)),
        ]


@pytest.mark.parametrize("seed", range(60))
def test_tapes_with_losses(library: Path, tmp_path: Path, seed: int) -> None:
    """Several CPUs and streams, resets, both byte orders, damaged lines; every third is cut."""
    rng = Random(seed)
    tape = tmp_path / "t.tape"
    if seed % 2:
        write(busy(rng, cpus=rng.randrange(1, 5), streams=rng.randrange(1, 3)), tape, rng)
    else:
        pieces, _ = lossy_tapes.damaged(lossy_tapes.live(rng), rng)
        lossy_tapes.capture(MemoryLink(pieces), tape)
    if seed % 3 == 0:
        data = bytearray(tape.read_bytes())
        for _ in range(rng.randrange(5)):
            data[rng.randrange(64, len(data))] ^= 1 << rng.randrange(8)
        tape.write_bytes(data[: rng.randrange(64, len(data) + 1)])
    assert printed(library, tape) == lines_of(tape)


def test_cut_and_changed_at_every_byte(sanitized: Path, tmp_path: Path) -> None:
    tape = tmp_path / "t.tape"
    lossy_tapes.capture(MemoryLink([lossy_tapes.lossy(3)[1]]), tape)
    program = tmp_path / "cuts"
    build = ["gcc", "-std=c11", "-g", "-O1", *WARNINGS, "-fsanitize=address,undefined"]
    build += [f"-I{sanitized / 'include'}", str(HERE / "cuts.c")]
    run(*build, sanitized / "libtickertape.a", "-o", program)
    events, size = run(program, tape, "1", "3000").replace(" events, ", " ").split()[:2]
    with TapeReader(tape) as reader:
        assert int(events) == sum(map(len, iter_events(reader)))
    assert int(size) == tape.stat().st_size


def test_no_memory_at_any_allocation(sanitized: Path, tmp_path: Path) -> None:
    tape = tmp_path / "t.tape"
    lossy_tapes.capture(MemoryLink([lossy_tapes.lossy(3)[1]]), tape)
    program = tmp_path / "memory"
    build = ["gcc", "-std=c11", "-g", "-O1", *WARNINGS, "-fsanitize=address,undefined"]
    build += [f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc")]
    build += [f"-I{sanitized / 'include'}", str(HERE / "memory.c")]
    run(*build, sanitized / "libtickertape.a", "-o", program)
    events, refused, broken_off = map(int, run(program, tape).split())
    with TapeReader(tape) as reader:
        assert events == sum(map(len, iter_events(reader)))
    assert refused > 5
    assert broken_off > 50


def test_a_program_in_cpp_with_the_shared_library(library: Path, tmp_path: Path) -> None:
    tape = tmp_path / "t.tape"
    lossy_tapes.capture(MemoryLink([lossy_tapes.lossy(3)[1]]), tape)
    program = tmp_path / "total"
    build = ["g++", "-std=c++17", *WARNINGS, f"-I{library / 'include'}", str(HERE / "total.cpp")]
    run(*build, f"-L{library}", "-ltickertape", f"-Wl,-rpath,{library}", "-o", program)
    counts: dict[int, int] = {}
    with TapeReader(tape) as reader:
        for columns in iter_events(reader):
            for cls in columns.cls.tolist():
                counts[cls] = counts.get(cls, 0) + 1
        total = balance_of(reader).total
    expected = [f"{cls} {count}" for cls, count in sorted(counts.items())]
    assert run(program, tape).splitlines() == [
        *expected,
        f"{total.delivered} of {total.offered}",
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "this is not a tape"),
        (b"PK\x03\x04" + bytes(100), "this is not a tape"),
        (bytes.fromhex("89544150450d0a1a") + bytes(8), "cut or damaged"),
        (bytes.fromhex("89544150450d0a1a") + b"\x09" + bytes(60), "another major version"),
        (bytes.fromhex("89544150450d0a1a") + b"\x01" + bytes(60), "cut or damaged"),
    ],
)
def test_what_is_no_tape(library: Path, tmp_path: Path, data: bytes, message: str) -> None:
    tape = tmp_path / "t.tape"
    tape.write_bytes(data)
    done = subprocess.run(
        [library / "print_tape", tape], capture_output=True, text=True, check=False, timeout=HANG_S
    )
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


class Type(ctypes.Structure):
    """tt_tape_type_t."""

    _fields_ = (
        *((name, ctypes.c_char_p) for name in ("event_class", "name", "fields", "wide_fields")),
        ("has_text", ctypes.c_bool),
    )


def test_names_of_events_are_those_of_the_dictionary(library: Path) -> None:
    loaded = ctypes.CDLL(str(library / "libtickertape.so"))
    found = {}
    for numbers in itertools.product(range(32), range(1024)):
        kind = Type()
        if loaded.tt_tape_type(*numbers, ctypes.byref(kind)) == 0:
            texts = (kind.event_class, kind.name, kind.fields, kind.wide_fields)
            found[numbers] = (*(text.decode() for text in texts), kind.has_text)
    assert found == {
        numbers: (
            *(known.class_name, known.name),
            " ".join(field.name for field in known.fields),
            " ".join(field.name for field in known.wide_fields),
            known.payload == "string",
        )
        for numbers, known in EVENTS.items()
    }


def test_only_the_names_of_the_header_are_global(library: Path) -> None:
    """A program may contain the recorder, too, so the names must not collide."""
    header = (ROOT / "host/library/tickertape/tape.h").read_text()
    for line in (
        ("nm", "-g", "--defined-only", library / "libtickertape.a"),
        ("nm", "-D", "--defined-only", library / "libtickertape.so"),
    ):
        symbols = [words[2] for row in run(*line).splitlines() if len(words := row.split()) == 3]
        assert len(symbols) == 16
        assert all(f"{symbol}(" in header for symbol in symbols)


def test_pkg_config_leads_to_the_library(library: Path, tmp_path: Path) -> None:
    place = ["env", f"PKG_CONFIG_PATH={library}"]
    flags = run(*place, "pkg-config", "--cflags", "--libs", "libtickertape").split()
    program = tmp_path / "print_tape"
    run("gcc", ROOT / "host/library/examples/print_tape.c", *flags, "-o", program)
    tape = DAMAGED[-1]
    there = {"LD_LIBRARY_PATH": str(library)}
    done = subprocess.run([program, tape], capture_output=True, env=there, check=True)
    assert done.stdout.decode() == run(library / "print_tape", tape)
