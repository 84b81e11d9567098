"""Formats a loss as a line of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tickertape.decode.events import Gap


def gap_line(gap: Gap) -> str:
    """Return a line with the number of missing records, their place and the reasons."""
    where = f"on cpu {gap.cpu}, stream {gap.stream}"
    if gap.unknown and not gap.lost:
        return f"-- an unknown number of records missing {where}"
    records = "record" if gap.lost == 1 else "records"
    more = ", and an unknown number more" if gap.unknown else ""
    return (
        f"-- {gap.lost} {records} missing {where}: {gap.dropped} dropped, "
        f"{gap.overwritten} overwritten, {gap.damaged} damaged{more}"
    )
