"""Add up threads of several boots by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.analysis.boots import BootSummary
    from tickertape.analysis.summary import Summary


@dataclass(frozen=True, slots=True)
class NamedShare:
    """All threads of one name, in the boots of one build.

    Attributes:
        name: name of the threads.
        build: name of the board, else the build id; empty unless the tape has several builds.
        tids: their numbers, in order.
        boots: number of boots in which they exist.
        run_ns: sum of their known running times, without interrupts.
    """

    name: str
    build: str
    tids: tuple[int, ...]
    boots: int
    run_ns: int


def by_name(summary: Summary) -> Sequence[NamedShare]:
    """Add up threads by name over the boots of one build, the one that ran longest first.

    Threads of one name in one boot stay apart when the tape has only this boot.
    """
    builds = {boot.epoch: (boot.board, boot.build_id) for boot in summary.boots}
    several = len(set(builds.values())) > 1
    found: dict[tuple[object, ...], list[tuple[int, int, int]]] = {}
    for task in summary.tasks:
        only = (task.tid,) if summary.epochs <= 1 else ()
        key = (task.name, *builds.get(task.epoch, ("", "")), *only)
        found.setdefault(key, []).append((task.tid, task.epoch, task.run_ns))
    rows = [
        NamedShare(
            name=str(name),
            build=str(board or build or "no build id") if several else "",
            tids=tuple(sorted({tid for tid, _, _ in ones})),
            boots=len({epoch for _, epoch, _ in ones}),
            run_ns=sum(run_ns for _, _, run_ns in ones),
        )
        for (name, board, build, *_), ones in found.items()
    ]
    return sorted(rows, key=lambda row: -row.run_ns)


def ends_of(boots: Sequence[BootSummary]) -> dict[str, int]:
    """Count the boots by the reason of their end."""
    found: dict[str, int] = {}
    for boot in boots:
        found[boot.ended] = found.get(boot.ended, 0) + 1
    return found
