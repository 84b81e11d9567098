"""Make the output of print_tape with the Python host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.analysis.balance import Balance, balance_of
from tickertape.decode.events import DecodeCounters
from tickertape.protocol.events import EVENTS
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tickertape.analysis.balance import RingBalance, TapeBalance
    from tickertape.decode.events import Event, EventColumns, Gap
    from tickertape.decode.ticks import Clock


def lines_of(path: Path) -> list[str]:
    """Return the lines of events, gaps, balances and counters, without descriptions of boots."""
    counters = DecodeCounters()
    lines: list[str] = []
    with TapeReader(path) as reader:
        for columns in iter_events(reader, counters=counters):
            lines += _columns(columns, reader.clock(columns.epoch))
        balance = balance_of(reader, by_class=False)
        lines += [*_balances(balance), _counters(counters)]
        # All bodies were read, except those of types without a printed line.
        lines.append("closed" if reader.closed else "not closed")
    return lines


def _columns(columns: EventColumns, clock: Clock) -> Iterator[str]:
    gaps = list(columns.gaps)
    for row, event in enumerate(columns.events()):
        while gaps and gaps[0].row <= row:
            yield _gap(columns.epoch, gaps.pop(0))
        yield _event(event, clock)
    for gap in gaps:
        yield _gap(columns.epoch, gap)


def _event(event: Event, clock: Clock) -> str:
    ns = clock.known_ns(event.time_ticks)
    payload = "" if event.payload is None else f"payload {event.payload.hex()}"
    known = (event.cls, event.event) in EVENTS
    name = event.name if known else f"{event.cls}.{event.event}"
    words = payload or "words {} {}".format(*event.words)
    return (
        f"event {event.epoch} {event.stream} {event.cpu} {event.time_ticks}"
        f" {'-' if ns is None else ns} {name} domain {event.domain}"
        f" ordinal {event.ordinal} {words}"
        f"{' truncated' if event.truncated else ''}{' host' if event.host else ''}"
    )


def _gap(epoch: int, gap: Gap) -> str:
    return (
        f"gap {epoch} {gap.stream} {gap.cpu} ordinals {gap.first_ordinal} {gap.end_ordinal}"
        f" dropped {gap.dropped} overwritten {gap.overwritten} damaged {gap.damaged}"
        f"{' or more' if gap.unknown else ''}"
    )


def _balances(balance: TapeBalance) -> Iterator[str]:
    for ring in balance.rings:
        key = ring.ring
        yield f"ring {key.epoch} {key.stream} {key.cpu} {_balance(ring.balance, [ring])}"
    yield f"total {_balance(balance.total, balance.rings)}"


def _balance(balance: Balance, rings: tuple[RingBalance, ...] | list[RingBalance]) -> str:
    final = bool(rings) and all(ring.final for ring in rings)
    return (
        f"offered {balance.offered} delivered {balance.delivered}"
        f" overwritten {balance.overwritten} dropped {balance.dropped} damaged {balance.damaged}"
        f" unsettled {sum(ring.unsettled for ring in rings)}"
        f" unknown {sum(ring.unknown_losses for ring in rings)}"
        f" contradictions {sum(len(ring.contradictions) for ring in rings)}"
        f"{' final' if final else ''}"
    )


def _counters(counters: DecodeCounters) -> str:
    return (
        f"decoded records {counters.records} events {counters.events}"
        f" incomplete {counters.incomplete_events} orphans {counters.orphan_records}"
        f" mismatched {counters.mismatched_events} lost {counters.lost_records}"
        f" repeated {counters.repeated_records} time faults {counters.time_faults}"
    )
