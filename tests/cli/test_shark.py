"""`export shark` and `import shark` as a user types them: output and refused files."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Command, assert_complaint
from tests.support.target import target_with_events
from tickertape.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.command import Command

RING = (0, 0)


def records(*events: tuple[int, int]) -> bytes:
    """Return records of (time, event) in the layout of the original."""
    return b"".join(struct.pack("<IHHI", time, event, 0, 1) for time, event in events)


def good(count: int) -> list[tuple[int, int]]:
    return [(100 * n, 3 + n % 5) for n in range(count)]


@pytest.fixture
def gaps(make_tape: Callable[[bytes, str], Path]) -> Path:
    """Return a tape with one missing buffer."""
    target = target_with_events()
    target.record(RING, 9, 0, 2, 1)
    target.flush(RING)
    target.send_buffer(RING)
    target.finish()
    frames = target.sent_bytes().split(b"\0")
    del frames[12]
    return make_tape(b"\0".join(frames), "gaps.tape")


def test_export_says_what_the_file_cannot_say(
    tape: Path, gaps: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "fix1"
    assert main(["export", "shark", str(tape), "-o", str(out)]) == 0
    said = capsys.readouterr()
    # 40 context switches; 20 kernel calls, 20 user events and a name have no number in the format.
    assert said.out == f"{out}: 40 records; 41 events have no number there and are left out\n"
    assert said.err == ""
    assert out.stat().st_size == 40 * 12
    assert main(["export", "shark", str(gaps), "-o", str(out)]) == 0
    assert (
        "; records are missing at 1 places; the file cannot show them\n" in capsys.readouterr().out
    )
    assert main(["export", "shark", str(gaps), "-o", str(out), "-q"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("layout", "size"),
    [("original", 12), ("reference", 10), ("original-big", 12), ("packed", 10), ("wide", 16)],
)
def test_export_in_every_layout_comes_back(
    tape: Path, tmp_path: Path, tickertape_inside: Command, layout: str, size: int
) -> None:
    done = tickertape_inside("export", "shark", tape, "-o", "a", "--layout", layout)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "a").stat().st_size == 40 * size
    done = tickertape_inside("import", "shark", "a", "-o", "b.tape")
    assert done.stdout == f"b.tape: 40 records, layout {layout}\n"
    done = tickertape_inside("export", "shark", "b.tape", "-o", "c", "--layout", layout)
    assert done.stdout == "c: 40 records\n"
    assert (tmp_path / "c").read_bytes() == (tmp_path / "a").read_bytes()


def test_export_of_one_stream(tape: Path, tmp_path: Path, tickertape_inside: Command) -> None:
    assert tickertape_inside("export", "shark", tape, "-o", "a", "--stream", "0").returncode == 0
    assert (tmp_path / "a").stat().st_size == 480
    done = tickertape_inside("export", "shark", tape, "-o", "b", "--stream", "3")
    assert (done.returncode, done.stdout) == (0, "b: 0 records\n")
    assert (tmp_path / "b").read_bytes() == b""


@pytest.mark.parametrize(
    ("words", "code", "parts"),
    [
        (["nothing.tape", "-o", "x"], 4, ["nothing.tape", "check"]),
        (["noise", "-o", "x"], 4, ["noise", "not a tape"]),
        (["some.tape"], 2, ["-o", "see tickertape export shark --help"]),
        (["some.tape", "-o", "x", "--layout", "odd"], 2, ["unknown value odd; choose one of: o"]),
        (["some.tape", "-o", "x", "--stream", "one"], 2, ["one", "--help"]),
        (["some.tape", "-o", "no/such/x"], 4, ["no/such/x"]),
        (["some.tape", "-o", "."], 4, ["."]),
    ],
)
def test_what_export_refuses(
    tape: Path,
    tmp_path: Path,
    tickertape_inside: Command,
    words: list[str],
    code: int,
    parts: list[str],
) -> None:
    assert tape.parent == tmp_path
    (tmp_path / "noise").write_bytes(bytes(range(256)) * 9)
    assert_complaint(tickertape_inside("export", "shark", *words), code, *parts)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("data", "said", "kept"),
    [
        (records(*good(50))[:-5], ["ends within a record, its last 7 bytes are left out"], 49),
        (
            records(*good(20), (5, 3), *good(20)),
            ["the time goes back 2 times, first at byte 240"],
            41,
        ),
        (
            records(*good(20), (2000, 77), *[(3000 + n, 4) for n in range(20)]),
            ["1 records of events that are not known, the first at byte 240"],
            41,
        ),
        (
            records(*good(20), (2000, 1024), (2001, 65535), *[(3000 + n, 4) for n in range(20)]),
            ["2 records have a number above 1023, the first at byte 240; they are left out"],
            40,
        ),
        (
            records(*good(30), (1, 24), (2, 2000))[:-1],
            [
                "1 records of events that are not known, the first at byte 360",
                "the time goes back 1 times, first at byte 360",
                "its last 11 bytes are left out",
            ],
            31,
        ),
    ],
)
def test_bad_files_are_read_and_reported(
    tmp_path: Path, tickertape_inside: Command, data: bytes, said: list[str], kept: int
) -> None:
    (tmp_path / "bad").write_bytes(data)
    done = tickertape_inside("import", "shark", "bad", "-o", "t.tape")
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert len(lines) == len(said)
    for line, part in zip(lines, said, strict=True):
        assert line.startswith("tickertape: bad: ")
        assert part in line
    # The imported records are exported again, byte for byte.
    assert tickertape_inside("export", "shark", "t.tape", "-o", "back").returncode == 0
    back = (tmp_path / "back").read_bytes()
    assert len(back) == 12 * kept
    whole = [data[at : at + 12] for at in range(0, len(data) - 11, 12)]
    assert back == b"".join(r for r in whole if struct.unpack_from("<H", r, 4)[0] < 1024)


@pytest.mark.parametrize(
    ("name", "words", "code", "parts"),
    [
        ("nothing", [], 4, ["there is no file nothing"]),
        ("noise", [], 4, ["does not look like a trace of S.Ha.R.K.", "--layout original|"]),
        ("empty", [], 4, ["does not look like"]),
        ("good", ["--layout", "tall"], 2, ["unknown value tall", "choose one of: original"]),
        ("good", ["-o", "no/such/t.tape"], 4, ["no/such/t.tape"]),
    ],
)
def test_what_import_refuses(
    tmp_path: Path,
    tickertape_inside: Command,
    name: str,
    words: list[str],
    code: int,
    parts: list[str],
) -> None:
    (tmp_path / "noise").write_bytes(bytes(n * n % 251 for n in range(5000)))
    (tmp_path / "good").write_bytes(records(*good(10)))
    (tmp_path / "empty").touch()
    done = tickertape_inside("import", "shark", name, "-o", "t.tape", *words)
    assert_complaint(done, code, *parts)
