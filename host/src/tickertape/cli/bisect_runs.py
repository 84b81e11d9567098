"""Runs of `tickertape bisect`: each writes a tape; repeated runs decide about a commit."""

from __future__ import annotations

import math
import os
import shlex
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tickertape.answers.check import Outcome, check
from tickertape.errors import TapeError
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tickertape.answers.spec import Requirement

PLACE: Final = "{tape}"
ENDS: Final = (5, 10, 20, 40)
"""Numbers of runs of the good and of the bad commit after which their counts are compared."""


class NoTape(Exception):  # noqa: N818 - a state of a commit, which is skipped
    """A run left no tape."""


@dataclass(frozen=True)
class Bench:
    """The command of a run and the requirements for its tape.

    Attributes:
        command: shell command that writes the tape `{tape}`.
        requirements: requirements of the specification.
        tape: path of the tape; each run replaces it.
    """

    command: str
    requirements: Sequence[Requirement]
    tape: Path

    def fails(self) -> bool | None:
        """Run once; return whether a requirement FAILs, None if the result is UNKNOWN.

        Raises:
            NoTape: the command left no tape, or one that cannot be read.
            SpecError: a name of the specification is not on the tape.
        """
        self.tape.unlink(missing_ok=True)
        _run(self.command.replace(PLACE, shlex.quote(str(self.tape))))
        try:
            with TapeReader(self.tape) as reader:
                outcomes = {one.outcome for one in check(reader, self.requirements)}
        except TapeError as error:
            raise NoTape from error
        return None if outcomes == {Outcome.UNKNOWN} else _worst(outcomes)

    def count(self, runs: int) -> tuple[int, int]:
        """Run `runs` times; return the numbers of FAIL and of PASS. UNKNOWN counts for neither."""
        found = [self.fails() for _ in range(runs)]
        return found.count(True), found.count(False)


def _worst(outcomes: set[Outcome]) -> bool | None:
    if Outcome.FAIL in outcomes:
        return True
    return None if Outcome.UNKNOWN in outcomes else False


def _run(command: str) -> None:
    """Run a shell command to its end; on an interrupt kill its process group."""
    with subprocess.Popen(
        ["/bin/sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    ) as process:
        try:
            process.wait()
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise


def differ(good: tuple[int, int], bad: tuple[int, int], alpha: float, stats: Any) -> bool:  # noqa: ANN401 - scipy has no types
    """Return whether bad FAILs more often than good, by Fisher's exact test.

    Args:
        good: numbers of runs of the good commit that FAIL and that PASS.
        bad: numbers of runs of the bad commit that FAIL and that PASS.
        alpha: probability of a false positive in all comparisons of `ENDS` together.
        stats: the module `scipy.stats`.
    """
    found = stats.fisher_exact([list(bad), list(good)], alternative="greater")
    return bool(found.pvalue < alpha / len(ENDS))


@dataclass
class Sequential:
    """Wald's sequential probability ratio test: does a commit FAIL as often as good, or as bad?

    Attributes:
        good: probability that a run of the good commit FAILs, above 0 and below 1.
        bad: probability that a run of the bad commit FAILs, above 0 and below 1.
        limit: absolute value of the log likelihood ratio that decides.
        evidence: log likelihood ratio of bad to good so far.
    """

    good: float
    bad: float
    limit: float
    evidence: float = 0.0

    @classmethod
    def of(cls, good: tuple[int, int], bad: tuple[int, int], alpha: float) -> Sequential:
        """Build a test from counts of FAIL and PASS.

        Half a run is added to each count, so that no probability is 0 or 1.
        """
        low, high = ((fails + 0.5) / (fails + passes + 1) for fails, passes in (good, bad))
        return cls(low, high, math.log((1 - alpha) / alpha))

    def take(self, *, fails: bool) -> bool | None:
        """Add the result of a run; return whether the commit is bad, None while undecided."""
        ratio = self.bad / self.good if fails else (1 - self.bad) / (1 - self.good)
        self.evidence += math.log(ratio)
        return self.evidence > 0 if abs(self.evidence) >= self.limit else None
