"""The summary stored in a tape's SUMMARY chunk, which avoids reading the whole tape.

The stored summary is the result of `summary_of` for the same chunks at the time of writing.
`tape.digest` checks it, and protocol/SPEC.md lists its keys.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final, TypeVar

from tickertape.analysis.balance import Balance, RingBalance, TapeBalance
from tickertape.analysis.boots import BootSummary, End
from tickertape.analysis.summary import (
    InterruptShare,
    Summary,
    TaskShare,
    issue_line,
    summary_of,
    symbol_count,
)
from tickertape.decode.events import DecodeCounters
from tickertape.errors import TapeWriteFailed
from tickertape.files import locked_if_there
from tickertape.tape import TapeReader
from tickertape.tape.append import closed_tape
from tickertape.tape.digest import add_digest, digest_of
from tickertape.tape.format import RingKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    Values = Mapping[str, object]

_Kind = TypeVar("_Kind")
_PLAIN: Final = (
    *("events", "duration_ns", "tick_hz", "cpus", "build_id", "target", "epochs"),
    *("kernel_ns", "observed_ns", "known_ns", "unknown_ns"),
)
_TERMS: Final = ("offered", "delivered", "overwritten", "dropped", "damaged")
_RING: Final = ("first_ordinal", "end_ordinal", "unsettled", "unknown_losses")


def add_summary(path: Path, on_progress: Callable[[int], None] | None = None) -> bool:
    """Read a tape and store its summary in it.

    Args:
        path: path of a tape that is not being written.
        on_progress: called now and then with the number of records read so far.

    Returns:
        Whether the tape has a summary now. A tape that was not closed in order, or that cannot be
        written, gets none. A summary only saves time: the tape contains all its facts elsewhere.

    Raises:
        TapeError: the file is not a tape.
        TapeBusy: another program writes it.
    """
    with locked_if_there(path):
        with TapeReader(path) as reader:
            if digest_of(reader) is not None:
                return True
            if not reader.closed:
                return False
            tape = closed_tape(reader)
            values = _values_of(summary_of(reader, on_progress))
        with suppress(TapeWriteFailed):
            add_digest(tape, values)
            return True
    return False


def stored_summary(reader: TapeReader) -> Summary | None:
    """Return the summary stored in a tape; None if it has no valid one.

    Bodies of chunks are not read, so damage in them is not reported (`Summary.verified`).
    """
    values = digest_of(reader)
    if values is None:
        return None
    try:
        found = _summary_of(values)
    except (KeyError, TypeError, ValueError):
        return None
    notes = tuple(reader.notes)
    known = set(found.issues)
    new = [line for line in map(issue_line, reader.issues) if line not in known]
    return replace(
        found,
        closed=reader.closed,
        notes=notes,
        issues=(*found.issues, *new),
        boards=tuple(reader.boards.values()),
        symbols=symbol_count(reader),
    )


def verified_summary(
    reader: TapeReader, on_progress: Callable[[int], None] | None = None
) -> Summary:
    """Read a whole tape, and compare its stored summary with its contents."""
    stored = stored_summary(reader)
    found = summary_of(reader, on_progress)
    if stored is None or replace(stored, verified=True) == found:
        return found
    return replace(found, issues=(*found.issues, "the summary that the tape carries is another"))


def _values_of(summary: Summary) -> dict[str, object]:
    values: dict[str, object] = {name: getattr(summary, name) for name in _PLAIN}
    values["boots"] = [asdict(boot) for boot in summary.boots]
    values["tasks"] = [asdict(task) for task in summary.tasks]
    values["interrupts"] = [asdict(interrupt) for interrupt in summary.interrupts]
    values["rings"] = [_values_of_ring(ring) for ring in summary.balance.rings]
    values["classes"] = dict(summary.classes)
    values["decode"] = asdict(summary.decode)
    values["issues"] = list(summary.issues)
    return values


def _values_of_ring(ring: RingBalance) -> dict[str, object]:
    return {
        **ring.ring._asdict(),
        **asdict(ring.balance),
        **{name: getattr(ring, name) for name in _RING},
        "final": ring.final,
        "contradictions": list(ring.contradictions),
    }


def _summary_of(values: Values) -> Summary:
    """Return the summary with the values of a SUMMARY chunk.

    Raises:
        KeyError, TypeError, ValueError: a value is missing or invalid.
    """
    classes = _take(values, "classes", dict)
    return Summary(
        events=_take(values, "events", int),
        duration_ns=_take(values, "duration_ns", int),
        tick_hz=_take(values, "tick_hz", int),
        cpus=_take(values, "cpus", int),
        build_id=_take(values, "build_id", str),
        target=_take(values, "target", str),
        epochs=_take(values, "epochs", int),
        kernel_ns=_take(values, "kernel_ns", int),
        observed_ns=_take(values, "observed_ns", int),
        known_ns=_take(values, "known_ns", int),
        unknown_ns=_take(values, "unknown_ns", int),
        boots=tuple(map(_boot_of, _rows(values, "boots"))),
        tasks=tuple(
            TaskShare(_take(one, "tid", int), *_share_of(one)) for one in _rows(values, "tasks")
        ),
        interrupts=tuple(
            InterruptShare(_take(one, "number", int), *_share_of(one))
            for one in _rows(values, "interrupts")
        ),
        balance=TapeBalance(tuple(map(_ring_of, _rows(values, "rings")))),
        classes={name: _take(classes, name, int) for name in classes},
        decode=DecodeCounters(
            **{
                name: _take(_take(values, "decode", dict), name, int)
                for name in asdict(DecodeCounters())
            }
        ),
        closed=True,
        issues=_lines(values, "issues"),
        notes=(),
        verified=False,
    )


def _rows(values: Values, name: str) -> Iterator[Values]:
    return (_only(row, dict) for row in _take(values, name, list))


def _boot_of(values: Values) -> BootSummary:
    begin, end = values["begin_utc_ns"], values["end_utc_ns"]
    return BootSummary(
        epoch=_take(values, "epoch", int),
        build_id=_take(values, "build_id", str),
        target=_take(values, "target", str),
        board=_take(values, "board", str),
        events=_take(values, "events", int),
        duration_ns=_take(values, "duration_ns", int),
        lost=_take(values, "lost", int),
        ended=End(_take(values, "ended", str)),
        begin_utc_ns=None if begin is None else _only(begin, int),
        end_utc_ns=None if end is None else _only(end, int),
    )


def _share_of(values: Values) -> tuple[str, int, int, float | None]:
    """Return name, epoch, time and share."""
    share = values["cpu_share"]
    return (
        _take(values, "name", str),
        _take(values, "epoch", int),
        _take(values, "run_ns", int),
        None if share is None else _only(share, float),
    )


def _ring_of(values: Values) -> RingBalance:
    return RingBalance(
        ring=RingKey(*(_take(values, name, int) for name in RingKey._fields)),
        balance=Balance(**{name: _take(values, name, int) for name in _TERMS}),
        **{name: _take(values, name, int) for name in _RING},
        final=_take(values, "final", bool),
        by_class=None,
        contradictions=_lines(values, "contradictions"),
    )


def _lines(values: Values, name: str) -> tuple[str, ...]:
    return tuple(_only(line, str) for line in _take(values, name, list))


def _take(values: Values, name: str, kind: type[_Kind]) -> _Kind:
    return _only(values[name], kind)


def _only(value: object, kind: type[_Kind]) -> _Kind:
    if type(value) is not kind:
        raise TypeError(value)
    return value
