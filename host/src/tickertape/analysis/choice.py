"""Refuse a selection of names that a tape does not contain, before the tape is read for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tickertape.errors import UsageError
from tickertape.model.boot import Boots
from tickertape.model.selection import UNKNOWN_TASK, Selection, Selector
from tickertape.protocol.wire import ObjectKind
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from tickertape.tape.reader import TapeReader


def refuse_unknown(reader: TapeReader, selection: Selection) -> None:
    """Refuse threads and CPUs that are not on a tape.

    A thread that the target has named counts as on the tape, even if it never had the CPU. For
    other names and for numbers, the tape is read once. The CPUs are those that HELLO reports;
    without a HELLO, no CPU is refused.

    Raises:
        UsageError: a thread or CPU is not on the tape.
    """
    _refuse_cpus(reader, selection.cpus)
    named = {
        text
        for (kind, number), name in reader.names().items()
        if kind == ObjectKind.THREAD
        for text in (name.text, str(number))
    }
    unnamed = selection.tasks - named - {UNKNOWN_TASK}
    if not unnamed:
        return
    selector = Selector(replace(Selection(), tasks=unnamed), Boots(reader))
    for columns in iter_events(reader):
        selector.mask(columns)
    missing = selector.unmatched_tasks
    if missing:
        raise UsageError(
            f"no thread called {', '.join(missing)} had the CPU", "'tickertape info' lists them"
        )


def _refuse_cpus(reader: TapeReader, cpus: frozenset[int]) -> None:
    count = max((hello.cpu_count for hello in reader.hellos.values()), default=None)
    if count is None:
        return
    missing = sorted(cpus - set(range(count)) - {ring.cpu for ring in reader.rings})
    if missing:
        last = count - 1
        raise UsageError(
            f"{reader.path} has no CPU {missing[0]}",
            f"choose 0 to {last}" if last else "its only CPU is 0",
        )
