"""The styles of `print`: make the exporter of a style from the data of a tape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.formats.ftrace.text import FtraceListExporter, PwcetExporter, check_is_ftrace
from tickertape.formats.kev.header import kev_header, kev_meta
from tickertape.formats.shark.tdump import TdumpExporter
from tickertape.printing.compiled_text import text_exporter
from tickertape.printing.csv import CsvExporter
from tickertape.printing.jsonl import JsonlExporter
from tickertape.printing.qnx import QnxExporter
from tickertape.printing.text import TextOptions
from tickertape.printing.xm import XmExporter
from tickertape.tape.reader import TapeReader
from tickertape.version import __version__

if TYPE_CHECKING:
    from tickertape.model.boot import Boots
    from tickertape.printing.style import LineExporter

STYLES = ("text", "qnx", "xm", "csv", "jsonl", "tdump", "list", "pwcet")
SAYING_BOARD = {"text", "csv", "jsonl"}  # each line contains the board


def exporter_of(
    style: str,
    boots: Boots,
    *,
    colour: bool,
    one_line: bool = False,
    symbolic: bool = False,
) -> LineExporter:
    """Make the exporter of a style.

    Args:
        style: one of `STYLES`.
        boots: the boots of the tape.
        colour: for style text: mark columns with colours.
        one_line: for style qnx: print every event on one line.
        symbolic: for style xm: print names instead of addresses.
    """
    tape = boots.tape
    boards = tape.boards if isinstance(tape, TapeReader) else None
    match style:
        case "csv":
            return CsvExporter(boots, boards)
        case "jsonl":
            return JsonlExporter(boots, boards)
        case "text":
            return text_exporter(boots, TextOptions(colour))
        case "xm":
            return XmExporter(boots, symbolic=symbolic)
    return _of_another_tool(style, boots, one_line=one_line)


def _of_another_tool(style: str, boots: Boots, *, one_line: bool) -> LineExporter:
    """Make the exporter of a style that reproduces the output of another kernel's tool."""
    tape = boots.tape
    if style == "qnx":
        header = kev_header(tape.path, tape.header, tape.hello, tape.meta, __version__)
        foreign = kev_meta(tape.meta) is not None
        return QnxExporter(boots, header, foreign=foreign, one_line=one_line)
    if style == "tdump":
        return TdumpExporter(boots)
    check_is_ftrace(tape.path, tape.meta)
    return FtraceListExporter() if style == "list" else PwcetExporter()
