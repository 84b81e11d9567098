"""The standard mix of DESIGN section 14 as records, used to measure bytes per event.

10 tasks; 10 000 context switches, one every millisecond +- 20 % at 100 MHz; 10 000 mutex operations
(5 000 locks, each with its unlock 2 to 200 us later, on 4 mutexes, by the running task); 10 000
user events with two words below 100. Mutex and user events are uniformly distributed over time.
"""

from __future__ import annotations

import random
from bisect import bisect
from typing import TYPE_CHECKING, Final

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SchedEvent, SyncEvent

if TYPE_CHECKING:
    from pathlib import Path

TICK_HZ: Final = 100_000_000
_TASKS: Final = range(1, 11)
_SWITCHES: Final = 10_000
_MUTEX_PAIRS: Final = 5_000
_USER_EVENTS: Final = 10_000
_MUTEXES: Final = [0x2000_0100 + 32 * number for number in range(4)]
_SEED: Final = 1

Row = tuple[int, int, int, int]


def rows() -> list[Row]:
    """Return the mix: (ticks, class << 10 | event, word 0, word 1) in order of time."""
    rng = random.Random(_SEED)  # noqa: S311 - a fixed mix
    switch = event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
    lock = event_code(EventClass.SYNC, SyncEvent.MUTEX_LOCK_GRANTED)
    unlock = event_code(EventClass.SYNC, SyncEvent.MUTEX_UNLOCK)
    user = event_code(EventClass.USER, 0)
    made: list[Row] = []
    ticks, running = 0, 1
    for _ in range(_SWITCHES):
        ticks += round(TICK_HZ / 1000 * rng.uniform(0.8, 1.2))
        chosen = rng.choice([task for task in _TASKS if task != running])
        made.append((ticks, switch, running, chosen))
        running = chosen
    switch_times = [row[0] for row in made]
    runs = [1, *(row[3] for row in made)]
    for _ in range(_MUTEX_PAIRS):
        at = rng.randrange(ticks)
        mutex, task = rng.choice(_MUTEXES), runs[bisect(switch_times, at)]
        made.append((at, lock, mutex, task))
        made.append((at + rng.randrange(200, 20_000), unlock, mutex, task))
    made += [
        (rng.randrange(ticks), user, rng.randrange(100), rng.randrange(100))
        for _ in range(_USER_EVENTS)
    ]
    return sorted(made)


def write_header(path: Path, buffer_records: int) -> int:
    """Write the mix as a C header for firmware/bench/pack_cost; return the number of records."""
    mix = rows()
    lines = [
        "#include <stdint.h>",
        '#include "tickertape/tickertape.h"',
        f"#define MIX_RECORDS {len(mix)}u",
        "static const tt_record_t mix_records[MIX_RECORDS] = {",
    ]
    lines += [
        f"    {{{code}u, {ticks % 2**32}u, {{{word0}u, {word1}u}}}},"
        for ticks, code, word0, word1 in mix
    ]
    lines += ["};", "static const uint64_t mix_ticks[] = {"]
    lines += [f"    {ticks}u," for ticks, *_ in mix[::buffer_records]]
    lines += ["};", ""]
    path.write_text("\n".join(lines), encoding="utf-8")
    return len(mix)
