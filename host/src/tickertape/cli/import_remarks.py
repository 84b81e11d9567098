"""What every import of plain records says when a file looks odd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tickertape.cli.output import count

if TYPE_CHECKING:
    from collections.abc import Iterator


class Turning(Protocol):
    """A report that counts where time goes back; the first place is a byte of the file."""

    turns: int
    first_turn: int | None


class Oddities(Turning, Protocol):
    """One that also knows how many bytes of a cut record are at the end."""

    rest_bytes: int


def odd_order_and_end(report: Oddities) -> Iterator[str]:
    """Yield a remark where time goes back, and one where the file ends within a record."""
    yield from time_goes_back(report)
    yield from cut_end(report.rest_bytes)


def time_goes_back(report: Turning) -> Iterator[str]:
    """Yield a remark where time goes back."""
    if report.turns:
        yield (
            f"the time goes back {count(report.turns)} times, first at byte {report.first_turn}; "
            "all records are kept, in their order; check that it is one trace only"
        )


def cut_end(rest_bytes: int) -> Iterator[str]:
    """Yield a remark where a file ends so many bytes within a record."""
    if rest_bytes:
        yield (
            f"ends within a record, its last {rest_bytes} bytes are left out; copy it again "
            "if it was longer"
        )
