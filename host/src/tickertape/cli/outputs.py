"""Decide before a command runs which existing files its outputs may replace.

An output never replaces an input of the same command, and two outputs never share a name. A tape
may replace a tape, which is kept (`tickertape.files`); another output may replace a file that it
could have written itself. Any other existing file is replaced only with --force.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping

    Test = Callable[[bytes, str], bool]

# Arguments that name outputs, and arguments that name inputs: a path, several paths, or a link.
OUTPUTS: Final = ("output", "dbg", "html", "junit", "raw", "svg", "profile")
_INPUTS: Final = (
    *("tape", "tapes", "file", "source", "metadata", "elf", "map", "symbols", "link"),
    *("spec", "check", "suite", "image", "other", "before", "after"),
)
# These commands may replace their input, which is kept: they rename the complete result.
_IN_PLACE: Final = ("repair", "cut")
_HEAD_BYTES: Final = 1 << 16
_TAPES: Final = frozenset(
    {
        *("capture", "run", "demo", "serve", "view"),
        *("cut", "merge", "repair", "recover", "import"),
    }
)
_OLD, _ORIGINAL = ".old", ".orig"


def check_outputs(arguments: argparse.Namespace) -> None:
    """Refuse a command that would overwrite its input, an output of its own, or a strange file.

    Raises:
        UsageError: it would. No file was changed.
    """
    words = vars(arguments)
    outputs = dict(_outputs(words))
    for one, other in combinations(outputs.values(), 2):
        if _real(one) == _real(other) and not one.is_char_device():
            raise UsageError(f"{one} cannot be both files", "give each output its own name")
    for source in _sources(words) if outputs else ():
        for name, output in outputs.items():
            if _is_same(source, output) and not (
                name == "output" and arguments.command in _IN_PLACE
            ):
                raise UsageError(f"{output} is the file to be read", "give the output another name")
    if not words.get("force"):
        for name, output in outputs.items():
            _refuse_other_kind(output, _kind_of(words, name, output))


@contextmanager
def older_tapes_reported(
    arguments: argparse.Namespace, warn: Callable[[str], None]
) -> Iterator[None]:
    """Report after a command which existing tapes have another name now; not with --quiet."""
    words = vars(arguments)
    before: dict[Path, tuple[int, int]] = {}
    if arguments.command in _TAPES and not words.get("quiet"):
        output = words.get("output") or (words.get("tape") if arguments.command in _IN_PLACE else 0)
        for path in _parts(output) if isinstance(output, Path) else ():
            with suppress(OSError):  # most often there is no such file, and nothing to report
                if path.is_file():
                    before[path] = _identity(path)
    try:
        yield
    finally:
        for path, identity in before.items():
            real = Path(_real(path))
            for ending in (_OLD, _ORIGINAL):
                with suppress(OSError):  # no such file: the tape was not replaced
                    if _identity(real.with_name(real.name + ending)) == identity:
                        warn(f"the older {path} is now {path}{ending}")


def _parts(output: Path) -> Iterator[Path]:
    yield output
    if output.name:  # "." and "/" have none
        yield output.with_name(f"{output.stem}-0001{output.suffix}")


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


def _outputs(words: Mapping[str, object]) -> Iterator[tuple[str, Path]]:
    for name in OUTPUTS:
        if isinstance(path := words.get(name), Path):
            yield name, path
    output = words.get("output")
    if words.get("dbg", 0) is None and isinstance(output, Path):
        if not output.name:  # "." and "/" have none
            raise UsageError(f"{output} is a folder", "give the name of a file")
        yield "dbg", output.with_suffix(".dbg")  # written beside the display file


def _real(path: Path) -> str:
    """Return a path with its links resolved, as far as they exist."""
    return os.path.realpath(path)


def _is_same(source: Path, output: Path) -> bool:
    with suppress(OSError):  # the command reports a missing or unreadable file
        return source.is_file() and source.samefile(output)
    return False


def _sources(words: Mapping[str, object]) -> Iterator[Path]:
    for name in _INPUTS:
        value = words.get(name)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Path):
                yield one
            elif isinstance(one, str) and one:
                yield from _file_of(one)


def _file_of(link: str) -> Iterator[Path]:
    """Yield the file that a link reads, if it reads one."""
    # Slow: it imports numpy, and few commands have a link and an output.
    from tickertape.link.address import file_of  # noqa: PLC0415 - see above

    path = file_of(link)
    if path is not None:
        yield path


# Kinds of outputs: a name in `file_kinds.KINDS`, a pattern of the first bytes, or no signature.
_DISPLAY: Final = re.compile(rb"# tickertape ktrace of ")
_KTRACE_TEXT: Final = re.compile(rb"\d+\.\d{9} cpu=\d+ |\Z")
_SYMBOL_MAP: Final = re.compile(rb"(?:# build-id [0-9a-f]*\n)?[0-9a-f]{8,16} \S \S")
_FOLDED: Final = re.compile(rb"[^\n]+ \d+\n")
_JUNIT: Final = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<testsuites?\b")
_SVG: Final = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!(?:--.*?--|[^>]*)>\s*)*<svg\b", re.DOTALL)
_PERFETTO: Final = re.compile(rb"\x0a[^\n\r\t]")
_PICTURES: Final[Mapping[str, re.Pattern[bytes]]] = {
    ".svg": _SVG,
    ".png": re.compile(rb"\x89PNG\r\n"),
    ".pdf": re.compile(rb"%PDF-"),
}
_BY_ARGUMENT: Final[Mapping[str, object]] = {
    "html": "page",
    "junit": _JUNIT,
    "svg": _SVG,
    "dbg": _KTRACE_TEXT,
    "raw": None,
    "profile": _FOLDED,
}
_BY_FORMAT: Final[Mapping[str, object]] = {
    "btf": "btf",
    "chrome": "timeline-json",
    "jtracer": "jtracer",
    "kev": "kev",
    "ktrace": _DISPLAY,
    "perfetto": _PERFETTO,
}
_BY_COMMAND: Final[Mapping[str, object]] = {"ktrace": _DISPLAY, "symbols": _SYMBOL_MAP}
# Kinds whose signature the records of an output without a signature may have by chance.
_UNSIGNED: Final = frozenset({"zeros", "frames", "itm", "tpiu", "systemview", "text"})
_NEVER: Final = re.compile(rb"(?!)")


def _kind_of(words: Mapping[str, object], name: str, output: Path) -> object:
    """Return the kind of an output: a name of a kind, a pattern, or None without a signature."""
    if name != "output":
        return _BY_ARGUMENT[name]
    command = str(words["command"])
    if command in _TAPES:
        return "tape"
    if command == "spec":
        return _NEVER  # people edit specifications
    if command == "plot":
        return _PICTURES.get(output.suffix.lower())
    if command in _BY_COMMAND:
        return _BY_COMMAND[command]
    return _BY_FORMAT.get(str(words.get("format")))


def _refuse_other_kind(output: Path, kind: object) -> None:
    """Check that an existing file may be replaced by an output of this kind.

    Raises:
        UsageError: it is not empty and of another kind.
    """
    try:
        if not output.is_file() or not output.stat().st_size:
            return
        with output.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return  # the command reports why it cannot be written
    # Slow: it imports numpy, and few outputs exist already.
    from tickertape.file_kinds import kind_of_bytes  # noqa: PLC0415 - see above

    found = kind_of_bytes(head)
    if isinstance(kind, re.Pattern):
        if kind.match(head):
            return
    elif found is None or found.name in _UNSIGNED if kind is None else found and found.name == kind:
        return
    what = "a file of an unknown kind" if found is None else found.description
    raise UsageError(
        f"{output} exists, and is {what}" if kind is not _NEVER else f"{output} exists",
        "give another name, or --force to replace it",
    )
