"""A loss as a line for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tickertape.decode.events import Gap


def gap_line(gap: Gap) -> str:
    """Say how many records are missing, where and why."""
    return (
        f"-- {gap.lost} records missing on cpu {gap.cpu}, stream {gap.stream}: "
        f"{gap.dropped} dropped, {gap.overwritten} overwritten, {gap.damaged} damaged"
    )
