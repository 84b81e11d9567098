"""Console output shared by all subcommands: errors, progress, the end of a capture."""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from tickertape.report.numbers import count, counted
from tickertape.text import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from rich.status import Status

    from tickertape.collector import CaptureResult, Progress
    from tickertape.errors import TickertapeError

_UNSHOWABLE: Final = "tickertape"  # name of our codec error handler


_MICRO: Final = "\u00b5\u03bc"
"""The micro sign and the Greek letter mu: SI allows u for them."""


def make_stdout_lossy() -> None:
    """Replace characters that standard output's encoding cannot represent."""
    if sys.stdout is None:  # closed by the caller (`>&-`)
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to our end
    if sys.stderr is None:  # else print() writes errors to standard output
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to our end
    codecs.register_error(_UNSHOWABLE, _shown_otherwise)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=_UNSHOWABLE)


def _shown_otherwise(error: UnicodeError) -> tuple[str | bytes, int]:
    """Encode characters that the encoding lacks: `u` for µ, bytes of a file name, else `?`.

    Raises:
        UnicodeError: the error occurred while decoding; this handler only encodes.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    try:
        return codecs.lookup_error("surrogateescape")(error)
    except UnicodeEncodeError:
        shown = ("u" if one in _MICRO else "?" for one in error.object[error.start : error.end])
        return "".join(shown), error.end


def can_show(text: str) -> bool:
    """Return whether standard output's encoding represents all characters of a text."""
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True


def warn(remark: str) -> None:
    """Print a warning on standard error."""
    print(f"tickertape: {escaped(remark)}", file=sys.stderr)


def complain(error: TickertapeError) -> None:
    """Print an error on standard error, as one line that ends with the remedy."""
    print(f"tickertape: {error}", file=sys.stderr)


class ProgressLine:
    """A live line on a terminal's stderr; silent anywhere else and with --quiet.

    Use it as a context manager; `update` fits `CaptureOptions.on_progress`.
    """

    def __init__(self, *, quiet: bool, first: str = "reading") -> None:
        """Set the first text; show it only on a terminal and without --quiet."""
        self._first = first
        self._wanted = not quiet and sys.stderr.isatty()
        self._status: Status | None = None

    def __enter__(self) -> Self:
        """Show the line."""
        if self._wanted:
            # Slow, and only for terminals.
            from tickertape.cli.console import PlainConsole  # noqa: PLC0415 - see above

            self._status = PlainConsole(stderr=True).status(self._first)
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Clear the line."""
        if self._status is not None:
            self._status.stop()

    def say(self, text: str) -> None:
        """Show a text."""
        if self._status is not None:
            self._status.update(text)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Hide the line while other output is printed."""
        if self._status is not None:
            self._status.stop()
        try:
            yield
        finally:
            if self._status is not None:
                self._status.start()

    def update(self, progress: Progress) -> None:
        """Show the progress of a capture."""
        if self._status is None:
            return
        if progress.hello is None:
            self.say(f"{progress.elapsed_s:.0f} s, waiting for the target's HELLO")
            return
        self.say(
            f"{progress.elapsed_s:.0f} s  {counted(progress.events, 'event')}  "
            f"{count(round(progress.events_per_s))}/s  {losses(progress)}"
        )


def losses(progress: Progress) -> str:
    """Return the losses so far, in records."""
    balance, counters = progress.balance, progress.counters
    parts = [
        f"{count(number)} {what}"
        for number, what in (
            (balance.dropped, "dropped"),
            (balance.overwritten, "overwritten"),
            (balance.damaged, "damaged"),
            (counters.bad_frames, "bad frames"),
        )
        if number
    ]
    return "lost: " + ", ".join(parts) if parts else "nothing lost"


def _known_losses(result: CaptureResult) -> str:
    """Return the losses of a capture; unknown if neither a record nor a final STATUS arrived."""
    if not result.progress.balance.offered and not result.final:
        return "losses unknown"
    return losses(result.progress)


def report_capture(result: CaptureResult, tape: Path | None, *, quiet: bool) -> int:
    """Print how a capture ended and the path of its tape.

    Returns:
        The exit code: 0, or that of the worst problem.
    """
    for problem in result.problems:
        complain(problem)
    if not quiet:
        progress = result.progress
        unknown = "" if result.final else "; the last records of the target may be missing"
        where = _names(result.tapes) if result.tapes else _no_tape(tape)
        print(
            f"{where}: {counted(progress.events, 'event')} in {progress.elapsed_s:.1f} s, "
            f"{_known_losses(result)} ({result.reason.value}{unknown})"
        )
        if result.hardware:
            print(result.hardware)
    return result.problems[0].exit_code if result.problems else 0


def _no_tape(tape: Path | None) -> str:
    """Name what a capture without a tape of its own has written."""
    return "no tape" if tape is None else f"no tape ({tape} is as it was)"


def _names(tapes: Sequence[Path]) -> str:
    if len(tapes) == 1:
        return str(tapes[0])
    return f"{tapes[0]} to {tapes[-1].name}, {len(tapes)} tapes"
