"""`print --style xm` and `symbols`, as processes: the listing of the paper, byte for byte."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.wire_bytes import SIMPLE, RawRecord, buffer_body, hello_body
from tickertape.tape import TapeWriter

if TYPE_CHECKING:
    from tests.support.command import Command, Done

DATA = Path(__file__).parents[1] / "data" / "xm"
# Our class and event for each event of the paper's listing.
EVENTS = {
    "scheduler out": (9, 12),
    "hw_restore_flags": (10, 3),
    "syscall entry": (11, 1),
    "hw_save_flags_and_cli": (10, 4),
    "user": (6, 0),
    "hard sti": (10, 1),
    "hard cli": (10, 0),
    "xm-domain": (11, 0),
}
BUILD = bytes(range(20))


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """Return the tape of a target that recorded the events of the paper's listing."""
    now, records = 0, b""
    with (DATA / "paper.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            now += int(row["delta_ns"])
            words = (int(row["data"], 0), int(row["address"], 0))
            kind = EVENTS[row["event"]]
            record = RawRecord(SIMPLE, 0, *kind, now, *words, flags=int(row["domain"]))
            records += record.pack("<")
    with TapeWriter(tmp_path / "paper.tape") as writer:
        writer.hello(hello_body(tick_hz=1_000_000_000, build_id=BUILD))
        writer.buffer(0, 0, buffer_body((0, 0, 0), 0, 0, records))
    return tmp_path / "paper.tape"


def printed(done: Done) -> str:
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_listing_of_the_paper(tickertape_inside: Command, paper: Path) -> None:
    out = printed(tickertape_inside("print", paper, "--style", "xm"))
    assert out == (DATA / "table2.txt").read_text()


def test_the_listing_with_symbols(tickertape_inside: Command, paper: Path) -> None:
    out = printed(tickertape_inside("print", paper, "--style", "xm", "--map", DATA / "paper.map"))
    assert out == (DATA / "table3.txt").read_text()


def test_filters_hold_in_this_style_as_well(tickertape_inside: Command, paper: Path) -> None:
    out = printed(
        tickertape_inside("print", paper, "--style", "xm", "--class", "USER", "--domain", "1")
    )
    (line,) = out.splitlines()
    assert line.startswith("D 1")
    assert line.endswith("user                          0x13 <0xce872dc6>")
    assert printed(tickertape_inside("print", paper, "--style", "xm", "--domain", "2")) == ""


SOURCE = """
namespace motor { struct Axis { int step(int); int last; }; }
int motor::Axis::step(int n) { return last += n; }
motor::Axis axis;
static volatile int local = 3;
extern "C" int plain(int n) { return axis.step(n) + local; }
int main() { return plain(1); }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a C++ program with the build id of the tape above, at addresses below 2^32."""
    folder: Path = tmp_path_factory.mktemp("cpp")
    (folder / "program.cpp").write_text(SOURCE)
    subprocess.run(
        [
            *("g++", "-O1", "-fno-inline", "-no-pie", f"-Wl,--build-id=0x{BUILD.hex()}"),
            *(folder / "program.cpp", "-o", folder / "program"),
        ],
        check=True,
    )
    return folder / "program"


def nm(program: Path) -> dict[str, tuple[str, str]]:
    """Return (address, type) by name, as nm of binutils prints them."""
    out = subprocess.run(["nm", "-C", program], capture_output=True, text=True, check=True).stdout
    rows = [line.split(maxsplit=2) for line in out.splitlines() if line[0] != " "]
    return {name: (address[-8:], kind) for address, kind, name in rows}


def test_a_map_says_what_nm_says(tickertape_inside: Command, program: Path, tmp_path: Path) -> None:
    done = tickertape_inside("symbols", program, "-o", tmp_path / "p.map")
    assert printed(done).startswith(f"{tmp_path / 'p.map'}: ")
    head, *lines = (tmp_path / "p.map").read_text().splitlines()
    assert head == f"# build-id {BUILD.hex()}"
    found = {name: (address, kind) for address, kind, name in (li.split(" ", 2) for li in lines)}
    known = nm(program)
    for name in ("motor::Axis::step(int)", "plain", "main", "axis", "local"):
        assert found[name] == known[name]
    assert lines == sorted(lines)
    assert printed(tickertape_inside("symbols", program)).splitlines() == [head, *lines]
    assert tickertape_inside("symbols", program, "-o").returncode == 0
    assert Path("MySystem.map").read_text(encoding="utf-8").splitlines() == [head, *lines]


def tape_at(path: Path, address: int, build_id: bytes) -> Path:
    record = RawRecord(SIMPLE, 0, 11, 0, 40, 5, address, flags=1).pack("<")
    with TapeWriter(path) as writer:
        writer.hello(hello_body(tick_hz=1_000_000_000, build_id=build_id))
        writer.buffer(0, 0, buffer_body((0, 0, 0), 0, 0, record))
    return path


@pytest.mark.parametrize("by", ["--elf", "--map"])
def test_cpp_names_are_written_as_in_source(
    tickertape_inside: Command, program: Path, tmp_path: Path, by: str
) -> None:
    source = program
    if by == "--map":
        source = tmp_path / "p.map"
        printed(tickertape_inside("symbols", program, "-o", source, "-q"))
    address = int(nm(program)["motor::Axis::step(int)"][0], 16) + 3
    tape = tape_at(tmp_path / "t.tape", address, BUILD)
    expected = "D 1     40 xm-domain                      0x5 motor::Axis::step(int)+0x3\n"
    assert printed(tickertape_inside("print", tape, "--style", "xm", by, source)) == expected
    text = printed(tickertape_inside("print", tape, by, source))
    assert "ip=motor::Axis::step(int)+0x3" in text
    place = tickertape_inside("print", tape, by, source, "--address", "motor::Axis::step")
    assert len(printed(place).splitlines()) == 1


@pytest.mark.parametrize("by", ["--elf", "--map"])
def test_names_of_another_build_are_refused_unless_forced(
    tickertape_inside: Command, program: Path, tmp_path: Path, by: str
) -> None:
    source = program
    if by == "--map":
        source = tmp_path / "p.map"
        printed(tickertape_inside("symbols", program, "-o", source, "-q"))
    tape = tape_at(tmp_path / "t.tape", 0, bytes(19) + b"\1")
    done = tickertape_inside("print", tape, "--style", "xm", by, source)
    assert (done.returncode, done.stdout) == (6, "")
    (line,) = done.stderr.splitlines()
    assert "is build 000102030405, the traced firmware was build 000000000000" in line
    assert "add --force" in line
    printed(tickertape_inside("print", tape, "--style", "xm", by, source, "--force"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it names nothing"),
        (b"# only a remark\n\n", "it names nothing"),
        (b"00000000 T ok\nhere and there\n", "line 2 is not"),
        (b"\xff\xfe\0", "it is not text"),
        (None, "No such file"),
    ],
)
def test_a_wrong_map_is_one_clear_error(
    tickertape_inside: Command, paper: Path, content: bytes | None, message: str
) -> None:
    wrong = paper.with_name("wrong.map")
    if content is not None:
        wrong.write_bytes(content)
    done = tickertape_inside("print", paper, "--map", wrong)
    assert (done.returncode, done.stdout) == (6, "")
    (line,) = done.stderr.splitlines()
    assert message in line
    assert "tickertape symbols" in line


def test_what_cannot_be_is_said(
    tickertape: Command, paper: Path, program: Path, tmp_path: Path
) -> None:
    both = tickertape("print", paper, "--elf", program, "--map", DATA / "paper.map")
    assert (both.returncode, both.stderr) == (
        2,
        "tickertape: --elf and --map both name addresses; give one of them\n",
    )
    stripped = tmp_path / "stripped"
    shutil.copy(program, stripped)
    subprocess.run(["strip", "-s", stripped], check=True)
    done = tickertape("symbols", stripped)
    assert (done.returncode, done.stdout) == (6, "")
    assert "has no symbols" in done.stderr
    done = tickertape("symbols", program, "-o", tmp_path / "none" / "p.map")
    assert (done.returncode, done.stdout) == (4, "")
    assert "p.map cannot be written" in done.stderr
    assert done.stderr.endswith("; make the folder first\n")
    done = tickertape("symbols", paper)
    assert done.returncode == 6
    assert "is not an ELF file" in done.stderr
