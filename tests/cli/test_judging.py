"""`--check` of `capture`, `run` and `serve`: verdicts and exit codes at the end of a recording."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.support.columns import Row
from tests.support.command import assert_complaint
from tests.support.golden import INVERSION
from tests.support.row_tapes import sent
from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

PASSES, FAILS = "response: high, max: 1 ms", "response: high, max: 1 us"
UNKNOWN = "service: tick, max: 1 ms"


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """Return a file with the bytes of a link: `high` waits for `low` while `medium` runs."""
    path = tmp_path / "link.bin"
    path.write_bytes(b"".join(frame.data for frame in sent(INVERSION).frames))
    return path


def spec(folder: Path, *requirements: str) -> Path:
    path = folder / "timing.yaml"
    path.write_text("requirements:\n" + "".join(f"- {{{one}}}\n" for one in requirements))
    return path


@pytest.mark.parametrize(
    ("requirements", "code", "last"),
    [
        ([PASSES], 0, "1 PASS, 0 FAIL, 0 UNKNOWN"),
        ([PASSES, UNKNOWN], 10, "1 PASS, 0 FAIL, 1 UNKNOWN"),
        ([UNKNOWN, FAILS], 1, "0 PASS, 1 FAIL, 1 UNKNOWN"),
    ],
)
def test_a_capture_ends_with_verdicts(
    tickertape_inside: Command,
    tmp_path: Path,
    link: Path,
    requirements: list[str],
    code: int,
    last: str,
) -> None:
    words = ("capture", link, "-o", tmp_path / "T.tape", "--check", spec(tmp_path, *requirements))
    done = tickertape_inside(*words)
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.splitlines()[-1] == last
    assert ("preempted by medium" in done.stdout) is (FAILS in requirements)
    with TapeReader(tmp_path / "T.tape") as reader:
        total = balance_of(reader).total
        assert total.offered == total.delivered > len(INVERSION)
    quiet = tickertape_inside(*words, "-q")
    assert (quiet.returncode, quiet.stdout) == (code, "")


def test_a_wrong_specification_stops_before_the_capture(
    tickertape_inside: Command, tmp_path: Path, link: Path
) -> None:
    file = spec(tmp_path, "response: high, max: 1 mss")
    done = tickertape_inside("capture", link, "-o", tmp_path / "T.tape", "--check", file)
    assert_complaint(done, 2, "did you mean ms?")
    assert not (tmp_path / "T.tape").exists()


def test_a_name_that_is_not_on_the_tape(
    tickertape_inside: Command, tmp_path: Path, link: Path
) -> None:
    file = spec(tmp_path, "response: hihg, max: 1 ms")
    done = tickertape_inside("capture", link, "-o", tmp_path / "T.tape", "--check", file)
    assert done.returncode == 2
    assert "did you mean high?" in done.stderr
    assert (tmp_path / "T.tape").exists()


def test_a_problem_of_the_link_keeps_its_code(tickertape_inside: Command, tmp_path: Path) -> None:
    file = spec(tmp_path, PASSES)
    words = ("capture", tmp_path / "none", "-o", tmp_path / "T.tape")
    without = tickertape_inside(*words).returncode
    assert without not in {0, 1, 2, 10}
    assert tickertape_inside(*words, "--check", file).returncode == without


def long_link(tmp_path: Path) -> Path:
    """Return a file with a trace of 8 ms, in which `high` responds late at 4 ms."""
    rows = [Row(100 * number) for number in range(1, 1000)]
    rows += [replace(row, time=row.time + 100_000) for row in INVERSION]
    rows += [Row(100_200 + 100 * number) for number in range(1000)]
    path = tmp_path / "long.bin"
    frames = sent(rows, buffer_records=8).frames
    path.write_bytes(b"".join(frame.data for frame in frames))
    return path


@pytest.mark.parametrize("kept_s", [None, 0.001])
def test_a_capture_stops_at_the_first_failure(
    tickertape_inside: Command, tmp_path: Path, kept_s: float | None
) -> None:
    tape = tmp_path / "T.tape"
    words = ("capture", long_link(tmp_path), "-o", tape, "--check", spec(tmp_path, PASSES, FAILS))
    stop = "--stop-on-fail" if kept_s is None else f"--stop-on-fail={kept_s}"
    done = tickertape_inside(*words, stop)
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("FAIL    response of high: at 0.0040040")
    assert "instance 0: response 3.200 us" in lines[0]
    assert lines[-1] == ("1 PASS, 1 FAIL, 0 UNKNOWN" if kept_s is None else lines[-1])
    assert "1 FAIL" in lines[-1]
    with TapeReader(tape) as reader:
        total = balance_of(reader).total
        assert total.offered == total.delivered
        first = int(next(iter_events(reader)).time[0])
        assert reader.record_count < 1300 if kept_s is None else reader.record_count < 550
        assert (first == 100) is (kept_s is None)
    quiet = tickertape_inside(*words, stop, "-q")
    assert (quiet.returncode, quiet.stdout) == (1, "")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--stop-on-fail"], "give --check FILE"),
        (["--check", "timing.yaml", "--stop-on-fail", "x"], "write it as in --stop-on-fail=10"),
        (["--check", "timing.yaml", "--stop-on-fail=0"], "seconds above 0"),
        (["--check", "timing.yaml", "--stop-on-fail=1", "--rotate-time", "9"], "is not rotated"),
    ],
)
def test_options_that_do_not_fit(
    tickertape_inside: Command, tmp_path: Path, link: Path, words: list[str], part: str
) -> None:
    file = spec(tmp_path, PASSES)
    words = [str(file) if one == "timing.yaml" else one for one in words]
    done = tickertape_inside("capture", link, "-o", tmp_path / "T.tape", *words)
    assert_complaint(done, 2, part)
    assert not (tmp_path / "T.tape").exists()


def test_serve_needs_a_tape_to_check(tickertape_inside: Command, tmp_path: Path) -> None:
    done = tickertape_inside("serve", "none", "--check", spec(tmp_path, PASSES))
    assert_complaint(done, 2, "there is no tape to check")
