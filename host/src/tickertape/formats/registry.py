"""The registry of formats, and the types that all formats share.

A format is a folder of this package. The `__init__` of the folder registers it: `EXPORTS` describes
how a tape is written in the format, `IMPORTS` how a tape is made of a file. Each names a function,
which is imported when it is called:

    export_FORMAT(source: Source, output: Path, *, options...) -> Report
    import_FORMAT(file: Path, tape: Path, *, options..., on_progress: Progress) -> Report

An export raises TapeWriteFailed when the output cannot be written, and UsageError when the tape
does not contain what the options select. An import raises TapeMissing when the file cannot be read,
ForeignFile when it is not of the format, and TapeWriteFailed when the tape cannot be written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final

from tickertape.errors import UsageError
from tickertape.formats.report import Count

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tickertape.formats.report import Report


_PACKAGE: Final = __name__.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a conversion: an argument of its function.

    Attributes:
        flags: flags on the command line, separated by blanks; the first one names the argument.
        help: description in the help, one line.
        metavar: placeholder of the value in the help.
        default: value without the option.
        choices: permitted values; empty when any value is.
        parse: converts the text of the command line; raises ValueError with a message for the user.
        action: action of argparse: `store`, `store_true`, `append`.
        required: whether the option is required.
        former: deprecated name from the previous release; it still works, with a warning.
    """

    flags: str
    help: str
    metavar: str | None = None
    default: object = None
    choices: tuple[str, ...] = ()
    parse: Callable[[str], object] | None = None
    action: str = "store"
    required: bool = False
    former: str = ""

    @property
    def name(self) -> str:
        """Name of the function's argument."""
        return self.flags.split()[0].lstrip("-").replace("-", "_")

    def value_of(self, given: object) -> object:
        """Convert a value that a program passes, by the rules of the command line.

        Raises:
            UsageError: the value is invalid.
        """
        if given == self.default and type(given) is type(self.default):
            return given
        if self.action == "store_true":
            return self._only(given, isinstance(given, bool), "give True or False")
        if self.choices:
            wanted = f"give {' or '.join(self.choices)}"
            return self._only(given, given in self.choices, wanted)
        try:
            return self.parse(str(given)) if self.parse else given
        except ValueError as error:
            raise UsageError(f"{self.name}: {error}", self.help) from error

    def _only(self, given: object, is_valid: object, wanted: str) -> object:
        if not is_valid:
            raise UsageError(f"{self.name} cannot be {given!r}", wanted)
        return given


@dataclass(frozen=True, slots=True)
class Conversion:
    """An export or an import.

    Attributes:
        function: `FOLDER.MODULE:NAME`.
        help: description of the format.
        headline: template of the one-line result; braces contain names of `Report.counts`.
        notes: parts appended to that line, by the count that must not be 0.
        warnings: lines for standard error, by the count that must not be 0.
        options: options, which become arguments of the function.
        output: export only: placeholder and description of the output in the help.
        names_code: whether the export takes names of code from an ELF file or a symbol map.
        file: import only: placeholder and description of the file in the help.
        counted: import only: unit of the progress.
        unit_bytes: import only: size of such a unit in the file, in bytes; 0 when it varies.
        page: documentation page that lists what is left out.
    """

    function: str
    help: str
    headline: str
    notes: Mapping[str, str] = field(default_factory=dict)
    warnings: Mapping[str, str] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    output: tuple[str, str] = ("FILE", "the file to write")
    names_code: bool = False
    file: tuple[str, str] = ("FILE", "the file to read")
    counted: str = "records"
    unit_bytes: int = 0
    page: str = ""

    def load(self) -> Callable[..., Report]:
        """Import the function."""
        module, _, name = self.function.partition(":")
        found: Callable[..., Report] = getattr(import_module(f"{_PACKAGE}.{module}"), name)
        return found

    def summary(self, report: Report) -> str:
        """Return the result in one line."""
        parts = [text for name, text in self.notes.items() if report.counts[name]]
        return "; ".join(map(report.format, [self.headline, *parts]))

    def remarks(self, report: Report) -> list[str]:
        """Return warnings, dialects and omissions, one line each."""
        lines = [text for name, text in self.warnings.items() if report.counts[name]]
        return [
            *map(report.format, lines),
            *report.remarks,
            *(f"a dialect: {_times(*one)}; see {self.page}" for one in report.dialects.items()),
            *(f"left out: {_times(*one)}; see {self.page}" for one in report.left_out.items()),
        ]


def _times(what: str, times: int) -> str:
    return f"{what}, {Count(times)} times"


def conversions(direction: str) -> dict[str, Conversion]:
    """Return the exports or imports of all formats, by name.

    Args:
        direction: `EXPORTS` or `IMPORTS`.
    """
    folders = [one.name for one in iter_modules(import_module(_PACKAGE).__path__) if one.ispkg]
    modules = [import_module(f"{_PACKAGE}.{folder}") for folder in folders]
    found = [one for module in modules for one in getattr(module, direction, {}).items()]
    return dict(sorted(found))


def number(text: str) -> int:
    """Parse a non-negative decimal integer.

    Raises:
        ValueError: the text is not such a number.
    """
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"{text!r} is not a number from 0 on")
    return int(text)


STREAM: Final = Option("--stream", "which stream (default: the lowest in use)", "N", parse=number)
BOOT: Final = Option("--boot", "which boot of the target, from 0", "N", parse=number)
FOLDER: Final = "the folder to write; if it exists, it has to be empty"
TIME_GOES_BACK: Final = {
    "turns": "the time goes back {turns} times, first at byte {first_turns:d}; all records are "
    "kept, in their order; check that it is one trace only"
}
CUT_END: Final = {
    "rest_bytes": "ends within a record, its last {rest_bytes:d} bytes are left out; copy it again "
    "if it was longer"
}
INCOMPLETE: Final = {"lost_records": "{lost_records} records of incomplete events are left out"}
