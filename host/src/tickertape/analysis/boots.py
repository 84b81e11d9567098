"""The boots of a target on a tape: when each began, when and why it ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from tickertape.decode.ticks import clock_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tickertape.analysis.balance import TapeBalance
    from tickertape.decode.bodies import Hello
    from tickertape.model.kernel import Span
    from tickertape.tape.board import Board
    from tickertape.tape.format import Anchor
    from tickertape.tape.reader import TapeReader


class End(StrEnum):
    """Why the trace of a boot ended."""

    STOPPED = "stopped"
    """The target ended its trace: the last STATUS of each ring is final."""
    RESET = "reset"
    """A later boot of the same target follows, and this one did not end its trace before."""
    CAPTURE = "capture"
    """The capture ended first, and closed the tape."""
    UNKNOWN = "unknown"
    """The tape was not closed: neither the target nor the capture reports an end."""


@dataclass(frozen=True, slots=True)
class BootSummary:
    """One boot of the target.

    Attributes:
        epoch: boot of the target within the tape.
        build_id: build id of its firmware, hexadecimal; empty when it has none.
        target: name of board and application; empty without a HELLO.
        board: name of the board on a merged tape, else empty.
        events: events that could be decoded.
        duration_ns: time from its first event to its last.
        lost: records that were offered and not delivered.
        ended: reason of the end of its trace.
        begin_utc_ns: UTC of its first event, ns since 1970; None if no anchor relates the
            clocks, or the boot has no event.
        end_utc_ns: UTC of its last event, as `begin_utc_ns`.
    """

    epoch: int
    build_id: str
    target: str
    board: str
    events: int
    duration_ns: int
    lost: int
    ended: End
    begin_utc_ns: int | None
    end_utc_ns: int | None


def boots_of(
    reader: TapeReader, spans: Iterable[Span], balance: TapeBalance, epochs: Sequence[int]
) -> tuple[BootSummary, ...]:
    """Describe boots of a tape; reads HELLO and ANCHOR, and no record.

    Args:
        reader: the tape.
        spans: the events of each boot.
        balance: balance that includes the rings of these boots.
        epochs: numbers of the boots.
    """
    by_epoch = {span.epoch: span for span in spans}
    anchors: dict[int, list[Anchor]] = {}
    for anchor in reader.anchors:
        anchors.setdefault(anchor.epoch, []).append(anchor)
    ended = _ends(reader, balance)
    lost: dict[int, int] = {}
    for one in balance.rings:
        lost[one.ring.epoch] = lost.get(one.ring.epoch, 0) + one.balance.lost
    found = []
    for epoch in epochs:
        hello, board, span = reader.hellos.get(epoch), reader.boards.get(epoch), by_epoch.get(epoch)
        clock = clock_of(hello or reader.hello)
        begin, end = (None, None) if span is None else (span.first_ticks, span.last_ticks)
        found.append(
            BootSummary(
                epoch=epoch,
                build_id=hello.build_id if hello else "",
                target=hello.target if hello else "",
                board=board.name if board else "",
                events=span.events if span else 0,
                duration_ns=clock.ns(span.last_ticks - span.first_ticks) if span else 0,
                lost=lost.get(epoch, 0),
                ended=ended[epoch],
                begin_utc_ns=_utc_ns(begin, board, anchors.get(epoch, []), hello),
                end_utc_ns=_utc_ns(end, board, anchors.get(epoch, []), hello),
            )
        )
    return tuple(found)


def _ends(reader: TapeReader, balance: TapeBalance) -> Mapping[int, End]:
    """Return the reason of the end of each boot."""
    final: dict[int, bool] = {}
    for one in balance.rings:
        final[one.ring.epoch] = final.get(one.ring.epoch, True) and one.final
    boards = reader.boards
    last = {boards[epoch].number if epoch in boards else None: epoch for epoch in reader.epochs}
    found = {}
    for epoch in reader.epochs:
        if final.get(epoch, False):
            found[epoch] = End.STOPPED
        elif epoch not in last.values():
            found[epoch] = End.RESET
        else:
            found[epoch] = End.CAPTURE if reader.closed else End.UNKNOWN
    return found


def _utc_ns(
    ticks: int | None, board: Board | None, anchors: Sequence[Anchor], hello: Hello | None
) -> int | None:
    """Return a time of the target in UTC, by the nearest anchor; None when unknown."""
    if ticks is None:
        return None
    if board is not None:
        return board.utc_ns_of(ticks) if board.aligned else None
    if not anchors or hello is None or not hello.tick_hz:
        return None
    near = min(anchors, key=lambda anchor: abs(anchor.target_ticks - ticks))
    distance = ticks - near.target_ticks
    ns = clock_of(hello).ns(abs(distance))
    return near.host_ns + (ns if distance >= 0 else -ns)
