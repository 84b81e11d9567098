"""The marker `timing`: verdicts about the tapes of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tickertape.answers.check import Outcome
from tickertape.answers.report import lines_of
from tickertape.errors import TickertapeError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tickertape.answers.check import Verdict
    from tickertape.api.tape import Tape

_UNKNOWN: Final = ("fail", "skip", "pass")


def judge(tapes: Sequence[Tape], folder: Path, spec: str, *, unknown: str = "fail") -> None:
    """Fail the test unless each tape meets a specification.

    Args:
        tapes: tapes of the test, at least one.
        folder: base folder of a relative path of the specification.
        spec: path of the specification.
        unknown: effect of the outcome UNKNOWN: "fail", "skip" or "pass".
    """
    if unknown not in _UNKNOWN:
        pytest.fail(f"timing: unknown={unknown!r} is none of {', '.join(_UNKNOWN)}", pytrace=False)
    if not tapes:
        pytest.fail("timing: the test recorded no tape; use the fixture tape", pytrace=False)
    try:
        verdicts = [one for tape in tapes for one in tape.check(folder / spec)]
    except TickertapeError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    failed = [one for one in verdicts if one.outcome is Outcome.FAIL]
    open_ = [one for one in verdicts if one.outcome is Outcome.UNKNOWN]
    if failed or (open_ and unknown == "fail"):
        pytest.fail(_text([*failed, *open_]), pytrace=False)
    if open_ and unknown == "skip":
        pytest.skip(_text(open_))


def _text(verdicts: Sequence[Verdict]) -> str:
    lines = []
    for one in verdicts:
        lines.append(f"{one.outcome.value}  {one.requirement.name}: {one.requirement.sentence}")
        lines += [f"        {line}" for line in lines_of(one)]
    return "\n".join(lines)
