# ruff: noqa: N818 - names state the condition (LinkBusy), as in httpx; all are in one tree
"""All errors reported to the user, as one tree with the exit codes of the command line.

    TickertapeError            2
    ├── UsageError             2   the command line or an option is invalid
    │   └── NativeMismatch         the compiled part was built from other sources
    ├── LinkError              3   the link to the target
    │   ├── LinkMissing            no such device, file or listener
    │   ├── LinkBusy               another program holds it
    │   ├── LinkDenied             the user may not open it
    │   ├── LinkLost               it was lost during a capture
    │   └── LinkSilent             the target does not answer
    ├── TapeError              4   the tape
    │   ├── TapeMissing            no such file, or it cannot be opened
    │   ├── TapeClosed             it was used after close()
    │   ├── NotATape               the file is something else
    │   ├── ForeignFile            a file to import has another format
    │   ├── TapeVersion            written by another major version
    │   ├── TapeDamaged            too damaged to be read
    │   │   └── TapeEmpty          a file without a single byte
    │   ├── TapeBusy               another program writes it
    │   └── TapeWriteFailed        the disk is full or was removed
    ├── ProtocolMismatch       5   the target has another major version
    │   └── DictionaryMismatch     the target has another list of events
    ├── FirmwareError          6   the firmware cannot be built or read
    ├── TargetError            7   the target cannot be started or stopped working
    ├── CommandRefused         8   the target refused the command
    └── TraceError             9   a function of POSIX Trace has failed

Exit code 0 is success. 1 and 10 are answers of checks: "no" and "unknown". 130 is the shell's code
for an interrupt before the command did anything.

`str(error)` is one line: the fault, then the remedy. The command line prints it and exits with
`exit_code`; other code catches only errors that it can handle itself.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar, Self

from tickertape.text import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def nearest(word: str, known: Iterable[str]) -> str:
    """Return advice for an unknown word: the most similar valid word, else all valid words."""
    choices = list(known)
    close = get_close_matches(word, choices, 1)
    if close:
        return f"did you mean {close[0]}?"
    return f"choose one of: {', '.join(choices)}" if choices else "there are none"


class TickertapeError(Exception):
    """Base class of all errors.

    Attributes:
        problem: what is wrong, without a full stop at its end.
        advice: what to do about it, an imperative.
    """

    exit_code: ClassVar[int] = 2
    """Exit code of the command line."""

    def __init__(self, problem: str, advice: str) -> None:
        """Store both parts of the message, each as one line without control characters.

        Args:
            problem: what is wrong, naming the file, device or option.
            advice: what to do about it.
        """
        self.problem = escaped(" ".join(problem.split()))
        self.advice = escaped(" ".join(advice.split()))
        super().__init__(self.problem, self.advice)

    def __str__(self) -> str:
        """Return one line: the problem, then the advice."""
        return f"{self.problem}; {self.advice}"


class UsageError(TickertapeError):
    """The command line or an option is invalid."""


class NativeMismatch(UsageError):
    """The compiled part was built from other sources than the Python files beside it."""


class LinkError(TickertapeError):
    """The link to the target does not work."""

    exit_code = 3


class LinkMissing(LinkError):
    """There is no such device, file or listener."""


class LinkBusy(LinkError):
    """Another program holds the device or port."""


class LinkDenied(LinkError):
    """The user may not open the device."""


class LinkLost(LinkError):
    """The link was lost during a capture."""


class LinkSilent(LinkError):
    """The target does not answer a command; it is unknown whether it executed the command."""


class TapeError(TickertapeError):
    """A tape cannot be read or written."""

    exit_code = 4


class TapeMissing(TapeError):
    """There is no such file, or the user may not open it."""

    @classmethod
    def of(cls, path: Path, error: OSError) -> Self:
        """Return the error for a file that cannot be read.

        Args:
            path: path of the file.
            error: error of the operating system.
        """
        match error:
            case FileNotFoundError():
                return cls(f"there is no file {path}", "check the name")
            case PermissionError():
                return cls(f"{path} may not be read", "check its permissions")
            case IsADirectoryError():
                return cls(f"{path} is a folder", "give the name of a file")
        return cls(f"{path} cannot be read ({error.strerror})", "check the disk")


class TapeClosed(TapeError):
    """A tape was used after its `close`."""


class NotATape(TapeError):
    """The file is something else."""


class ForeignFile(TapeError):
    """A file of another tool cannot be imported."""


class TapeVersion(TapeError):
    """The tape was written by another major version."""


class TapeDamaged(TapeError):
    """The tape is damaged so badly that no part of it can be read."""


class TapeEmpty(TapeDamaged):
    """The file has no bytes at all: its writer was stopped before the header."""


class TapeBusy(TapeError):
    """Another program writes the tape; nothing was changed."""


class TapeWriteFailed(TapeError):
    """The disk is full or was removed; data written before is kept and readable."""


class ProtocolMismatch(TickertapeError):
    """The target speaks another major version of the protocol."""

    exit_code = 5


class DictionaryMismatch(ProtocolMismatch):
    """The target was built with another list of events; numbers are kept, names may be wrong."""


class FirmwareError(TickertapeError):
    """The firmware cannot be built or read."""

    exit_code = 6


class TargetError(TickertapeError):
    """A target cannot be started, or stopped working."""

    exit_code = 7


class CommandRefused(TickertapeError):
    """The target refused a command; nothing was changed."""

    exit_code = 8


class TraceError(TickertapeError):
    """A function of POSIX Trace has failed.

    Attributes:
        number: error number that the function returned, as in `errno`; 0 if it was not called.
    """

    exit_code = 9
    number: int = 0
