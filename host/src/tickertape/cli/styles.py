"""The styles of `print`: which exporter writes, and what it needs to know of the tape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.formats.ftrace.text import FtraceListExporter, PwcetExporter, check_is_ftrace
from tickertape.formats.kev.header import kev_header, kev_meta
from tickertape.formats.shark.tdump import TdumpExporter
from tickertape.model.names import Names
from tickertape.printing.compiled_text import text_exporter
from tickertape.printing.csv import CsvExporter
from tickertape.printing.jsonl import JsonlExporter
from tickertape.printing.qnx import QnxExporter
from tickertape.printing.text import TextOptions
from tickertape.printing.xm import XmExporter
from tickertape.tape.reader import TapeReader
from tickertape.version import __version__

if TYPE_CHECKING:
    from tickertape.cli.naming import CodeNames
    from tickertape.decode.bodies import Name
    from tickertape.printing.style import LineExporter
    from tickertape.symbols.elf import Symbols
    from tickertape.tape.growing import Growing

STYLES = ("text", "qnx", "xm", "csv", "jsonl", "tdump", "list", "pwcet")
SAYING_BOARD = {"text", "csv", "jsonl"}  # in each of their lines
# Without any HELLO the rate is not known; at 1 GHz the ticks themselves are printed.
_UNKNOWN_HZ = 1_000_000_000


class Surroundings:
    """What is known beside the events of a tape, whole or growing."""

    def __init__(self, tape: TapeReader | Growing, code_names: CodeNames | None = None) -> None:
        """Take names from the tape, and those of code and data from `code_names`."""
        self.tape = tape
        self.code_names = code_names
        self._given: list[tuple[int, Names]] = []

    def names_of(self, epoch: int) -> Names:
        """Give names within a boot; whoever asks may change them."""
        names = Names(self.tape.names(epoch), self._symbols(epoch))
        self._given.append((epoch, names))
        return names

    def addresses(self, name: str) -> frozenset[tuple[int, int]]:
        """Find what is called `name` in any boot: first and last address of objects and code."""
        boots = list(self.tape.hellos) or [0]
        names = [Names(self.tape.names()), *(Names({}, self._symbols(epoch)) for epoch in boots)]
        return frozenset(place for known in names for place in known.addresses(name))

    def _symbols(self, epoch: int) -> Symbols | None:
        return None if self.code_names is None else self.code_names.of(epoch)

    def learn(self, epoch: int, name: Name) -> None:
        """Pass on a name that came late to all who asked for names of its boot."""
        for boot, names in self._given:
            if boot == epoch:
                names.learn(name)

    def tick_hz_of(self, epoch: int) -> int:
        """Give the clock rate of a boot."""
        hello = self.tape.hellos.get(epoch) or self.tape.hello
        return hello.tick_hz if hello and hello.tick_hz else _UNKNOWN_HZ


def exporter_of(
    style: str,
    around: Surroundings,
    *,
    colour: bool,
    one_line: bool = False,
    symbolic: bool = False,
) -> LineExporter:
    """Make the exporter of a style.

    Args:
        style: one of `STYLES`.
        around: what is known beside the events.
        colour: of style text: mark columns with colours.
        one_line: of style qnx: every event on one line.
        symbolic: of style xm: name addresses.
    """
    names_of, tick_hz_of, tape = around.names_of, around.tick_hz_of, around.tape
    boards = tape.boards if isinstance(tape, TapeReader) else None
    match style:
        case "csv":
            return CsvExporter(names_of, tick_hz_of, boards)
        case "jsonl":
            return JsonlExporter(names_of, tick_hz_of, boards)
        case "text":
            return text_exporter(names_of, tick_hz_of, TextOptions(colour))
        case "xm":
            return XmExporter(names_of, tick_hz_of, symbolic=symbolic)
    return _of_another_tool(style, around, one_line=one_line)


def _of_another_tool(style: str, around: Surroundings, *, one_line: bool) -> LineExporter:
    """Make the exporter of a style in which a program of another kernel writes."""
    tape = around.tape
    if style == "qnx":
        header = kev_header(tape.path, tape.header, tape.hello, tape.meta, __version__)
        foreign = kev_meta(tape.meta) is not None
        return QnxExporter(around.tick_hz_of, header, foreign=foreign, one_line=one_line)
    if style == "tdump":
        return TdumpExporter(around.tick_hz_of)
    check_is_ftrace(tape.path, tape.meta)
    return FtraceListExporter() if style == "list" else PwcetExporter()
