"""`--check` of `capture`, `run` and `serve`: verdicts and exit codes at the end of a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.command import assert_complaint
from tests.support.golden import INVERSION
from tests.support.row_tapes import sent
from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

PASSES, FAILS = "response: high, max: 1 ms", "response: high, max: 1 us"
UNKNOWN = "service: tick, max: 1 ms"


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """Return a file with the bytes of a link: high waits for low, and medium runs."""
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


def test_serve_needs_a_tape_to_check(tickertape_inside: Command, tmp_path: Path) -> None:
    done = tickertape_inside("serve", "none", "--check", spec(tmp_path, PASSES))
    assert_complaint(done, 2, "there is no tape to check")
