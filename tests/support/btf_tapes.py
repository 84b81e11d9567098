"""Import BTF system traces as tapes, and export tapes as BTF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.boots import boots
from tickertape.analysis.summary import summary_of
from tickertape.formats.btf.check import check_btf
from tickertape.formats.btf.read import import_btf
from tickertape.formats.btf.write import export_btf
from tickertape.formats.source import Source
from tickertape.model.names import Names
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.formats.report import Report

HEAD = "#version 2.3.0\n#creator test\n#timeScale ns\n"


def imported(text: str, folder: Path) -> tuple[Report, list[tuple[int, int, str, tuple[int, ...]]]]:
    """Import a text; return the report, and time, CPU, name and words of each event."""
    source = folder / "x.btf"
    source.write_text(text, encoding="utf-8")
    report = import_btf(source, folder / "x.tape")
    with TapeReader(folder / "x.tape") as reader:
        summary = summary_of(reader)
        total = summary.balance.total
        assert total.offered == total.delivered + total.lost
        assert reader.closed
        events = [event for columns in iter_events(reader) for event in columns.events()]
    return report, [(one.time_ticks, one.cpu, one.name, one.words) for one in events]


def export_of(tape: Path) -> list[str]:
    """Export a tape and check the result; return its lines."""
    out = tape.with_suffix(".out.btf")
    with TapeReader(tape) as reader:
        names = {epoch: Names(reader.names(epoch)) for epoch in reader.epochs}
        export_btf(Source(reader, boots(names.__getitem__)), out)
    assert check_btf(out, strict=True).findings.listed == []
    return out.read_text(encoding="utf-8").splitlines()


def lines_of(tape: Path) -> list[str]:
    """Export a tape; return the lines that a second round trip preserves."""
    # A schedule event that returns to the same task is not exported again.
    return [line for line in export_of(tape) if line[0] != "#" and not line.endswith(",schedule")]
