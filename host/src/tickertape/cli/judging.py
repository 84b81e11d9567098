"""`--check` of commands that record a tape: check it while it grows, and as a whole at its end.

The modules that check are slow to load: functions import them, only with `--check`.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.cli.options import seconds
from tickertape.cli.output import complain, warn
from tickertape.cli.reading import reading
from tickertape.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.answers.check import Verdict
    from tickertape.answers.live import Failure, LiveCheck
    from tickertape.answers.spec import Requirement
    from tickertape.cli.output import ProgressLine
    from tickertape.collector import CaptureOptions
    from tickertape.tape.growing import Growing

_WHOLE: Final = 0.0


def _kept(text: str) -> float:
    try:
        return seconds(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}; write it as in --stop-on-fail=10") from error


def add_check(parser: argparse.ArgumentParser) -> None:
    """Add --check and --stop-on-fail."""
    parser.add_argument(
        "--check",
        type=Path,
        metavar="FILE",
        help="judge the tape by this specification, as it grows and at the end; the exit code is "
        "that of check",
    )
    parser.add_argument(
        "--stop-on-fail",
        type=_kept,
        nargs="?",
        const=_WHOLE,
        metavar="SECONDS",
        help="with --check: end at the first FAIL that is certain; with SECONDS a flight recorder: "
        "the tape has only the last SECONDS of the target's time",
    )


@dataclass(slots=True)
class Judging:
    """Checks a recording while it runs and at its end. Implements `Watcher`.

    Attributes:
        requirements: requirements of the specification.
        stops: whether the first failure ends the recording.
        keep_s: length of the end that the tape keeps, in seconds; None for the whole recording.
        quiet: print no verdicts.
        line: progress line, paused while a verdict is printed; None for no line.
    """

    requirements: Sequence[Requirement]
    stops: bool
    keep_s: float | None
    quiet: bool
    line: ProgressLine | None = None
    _live: LiveCheck | None = None
    _tape: Growing | None = None
    _failures: list[Failure] = field(default_factory=list)

    def begin(self, tape: Growing) -> None:
        """See `Watcher`."""
        from tickertape.answers.live import LiveCheck  # noqa: PLC0415 - see above

        self._tape = tape
        self._live = LiveCheck(self.requirements, tape)

    def look(self, *, at_once: bool) -> bool:
        """See `Watcher`."""
        if self._live is None or self._tape is None:
            return False
        for epoch, ring, columns in self._tape.taken():
            self._live.feed(epoch, ring, columns)
        # A look costs as much as some thousand events: look at once only if a failure stops the
        # recording, or at its end.
        found = self._live.look(at_once=at_once and (self.stops or self._tape.ended))
        self._failures += found
        for one in found if not self.quiet else ():
            self._say(f"FAIL    {one}")
        return self.stops and bool(self._failures)

    def fall_behind(self) -> None:
        """See `Watcher`."""
        warn("events come faster than they can be judged; the verdicts come at the end")

    def _say(self, text: str) -> None:
        if self.line is None:
            print(text, flush=True)
            return
        with self.line.paused():
            print(text, flush=True)

    def judged(self, code: int, tapes: Sequence[Path]) -> int:
        """Check each tape that was just recorded, and print the verdicts.

        Args:
            code: exit code of the recording.
            tapes: the tapes of the recording.

        Returns:
            `code` if it is not 0; else 1 if a check failed while recording, though no tape shows
            it; else the exit code of all verdicts, 10 without a tape.

        Raises:
            TapeError: a tape cannot be read.
        """
        from tickertape.answers.check import Outcome, check  # noqa: PLC0415 - see above
        from tickertape.answers.spec import SpecError  # noqa: PLC0415 - see above
        from tickertape.cli.verdicts import (  # noqa: PLC0415 - see above
            FAILED,
            UNDECIDED,
            show_verdicts,
            verdict_code,
        )

        verdicts: list[Verdict] = []
        failed: set[int] = set()
        for tape in tapes:
            try:
                with reading(tape) as reader:
                    found = check(reader, self.requirements)
            except SpecError as error:
                complain(error)
                return code or error.exit_code
            verdicts += found
            failed |= {at for at, one in enumerate(found) if one.outcome is Outcome.FAIL}
            if not self.quiet:
                if len(tapes) > 1:
                    print(f"{tape}:")
                show_verdicts(found, str(tape))
        earlier = [one for one in self._failures if one.number not in failed]
        for one in earlier if not self.quiet else ():
            print(f"FAIL    while recording: {one}")
        if earlier:
            return code or FAILED
        return code or (verdict_code(verdicts) if verdicts else UNDECIDED)


def watched(options: CaptureOptions, judging: Judging | None, line: ProgressLine) -> CaptureOptions:
    """Return options of a capture that `judging` checks, with `line` as its progress line."""
    if judging is None:
        return options
    judging.line = line
    return replace(options, watcher=judging, keep_s=judging.keep_s)


def judging_of(arguments: argparse.Namespace) -> Judging | None:
    """Read the specification of --check before the recording begins; None without one.

    Raises:
        SpecError: the specification cannot be used.
        UsageError: options contradict each other.
    """
    stop: float | None = arguments.stop_on_fail
    if arguments.check is None:
        if stop is not None:
            raise UsageError("--stop-on-fail needs a specification", "give --check FILE")
        return None
    keep_s = stop or None
    if keep_s is not None and (arguments.rotate_size or arguments.rotate_time):
        raise UsageError(
            "the last seconds are one tape, which is not rotated",
            "leave out --rotate-size and --rotate-time, or the seconds of --stop-on-fail",
        )
    from tickertape.answers.spec import load  # noqa: PLC0415 - see above

    return Judging(load(arguments.check), stop is not None, keep_s, arguments.quiet)
