"""Events of FTrace, the second tracer of the S.Ha.R.K. kernel, and their representation on a tape.

Source: the S.Ha.R.K. User Manual, volume V. A record is type u16, par1 u16, time stamp of the
processor as two u32 (high word first), par2 u32, all little-endian. Only the low byte of the type
identifies the event: its low nibble the family, its high nibble the event in the family.

On a tape, a record is an application event of class `FTRACE_CLASS`; its number is the low byte of
the type, its words are type << 16 | par1, and par2. This preserves all fields of any record.
"""

from __future__ import annotations

from typing import Final

FTRACE_CLASS: Final = 30
FTRACE_META: Final = "ftrace"
"""Key in a tape's META for the clock rate of the file in ticks per ms; null when unknown."""

PAR1_SHIFT: Final = 16

CYCLES_PER_MSEC: Final = 0x10
TRACE_START: Final = 0x20

_FAMILIES: Final[dict[int, tuple[str, str]]] = {
    0x0: ("trace", "empty cycles_per_msec start stop blackout_start blackout_end id numevents"),
    0x1: ("ipoint", "ipoint"),
    0x2: (
        "task",
        (
            "create activate dispatch epilogue end begin_cycle end_cycle sleep schedule timer "
            "disable deadline_miss wcet_violation"
        ),
    ),
    0x3: ("int", "start end hit count"),
    0x4: ("cpu", "to_real_mode to_protected_mode cli sti"),
    0x5: ("pri", "set_priority context_switch inheritance"),
    0x6: ("mutex", "create lock inherit unlock wait post"),
    0x7: ("signal", "signal"),
    0x8: (
        "server",
        "create replenish exhaust reclaiming remove active using_reclaimed",
    ),
    0x9: ("user", " ".join(f"user{number}" for number in range(15))),
    0xA: ("data", "- data_pointer"),
    0xB: ("timer", "post delete wakeup_start wakeup_end"),
}
_META_FAMILY: Final = 0xF
_META_EVENTS: Final = 0xC


def _names() -> dict[int, str]:
    names = {0xFF: "meta.next_chunk"}
    for family, (name, events) in _FAMILIES.items():
        for number, event in enumerate(events.split()):
            if event != "-":
                names[number << 4 | family] = f"{name}.{event}"
    for family in range(_META_EVENTS):
        names[_META_FAMILY << 4 | family] = f"filter.{_FAMILIES[family][0]}"
    return names


EVENT_NAMES: Final = _names()
"""Name of each event by the low byte of its type: `task.create`."""
