"""Prints events in the layout of xmtrace, the tracer of XtratuM: five columns.

    D 1    168 scheduler out                  0x1 <0xce873408>

A line has the domain (-1 is the kernel core), nanoseconds since the previous line of the CPU,
event, one word of data, and the address of the trace point. With symbols the address is
`name+0xoffset`. docs/xmtrace.md lists the form of each event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.decode.events import Gap
from tickertape.printing.gaps import gap_line
from tickertape.printing.walk import Reset, Walk
from tickertape.protocol.events import (
    APPLICATION_CLASS_FIRST,
    DomainEvent,
    EventClass,
    IntEvent,
    IrqstateEvent,
    SchedEvent,
    TracerEvent,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from tickertape.decode.events import Event, EventColumns
    from tickertape.model.boot import BootOf
    from tickertape.protocol.event_type import EventType

# Names in the paper, as far as it prints them; else names in the tool.
_NAMES: Final[dict[tuple[int, int], str]] = {
    (EventClass.IRQSTATE, IrqstateEvent.HARD_CLI): "hard cli",
    (EventClass.IRQSTATE, IrqstateEvent.HARD_STI): "hard sti",
    (EventClass.IRQSTATE, IrqstateEvent.HARD_SAVE_FLAGS): "hw_save_flags",
    (EventClass.IRQSTATE, IrqstateEvent.HARD_RESTORE_FLAGS): "hw_restore_flags",
    (EventClass.IRQSTATE, IrqstateEvent.HARD_SAVEF_AND_CLI): "hw_save_flags_and_cli",
    (EventClass.IRQSTATE, IrqstateEvent.INTERCEPT): "rtl_intercept entry",
    (EventClass.IRQSTATE, IrqstateEvent.INTERCEPT_EXIT): "rtl_intercept exit",
    (EventClass.INT, IntEvent.ENTRY): "rtl_intercept entry",
    (EventClass.INT, IntEvent.EXIT): "rtl_intercept exit",
    (EventClass.IRQSTATE, IrqstateEvent.LOCAL_INTERCEPT): "local_intercept entry",
    (EventClass.IRQSTATE, IrqstateEvent.LOCAL_INTERCEPT_EXIT): "local_intercept exit",
    (EventClass.IRQSTATE, IrqstateEvent.SPIN_LOCK): "rtl_spin_lock",
    (EventClass.IRQSTATE, IrqstateEvent.SPIN_UNLOCK): "rtl_spin_unlock",
    (EventClass.SCHED, SchedEvent.CONTEXT_SWITCH): "rtl_switch_to",
    (EventClass.SCHED, SchedEvent.OVERHEAD_BEGIN): "scheduler in",
    (EventClass.SCHED, SchedEvent.OVERHEAD_END): "scheduler out",
    (EventClass.SCHED, SchedEvent.IN): "scheduler in",
    (EventClass.SCHED, SchedEvent.OUT): "scheduler out",
    (EventClass.SCHED, SchedEvent.SWITCH_TO): "rtl_switch_to",
    (EventClass.DOMAIN, DomainEvent.USER): "xm-domain",
    (EventClass.DOMAIN, DomainEvent.SYSCALL_ENTER): "syscall entry",
    (EventClass.DOMAIN, DomainEvent.SYSCALL_EXIT): "syscall exit",
    (EventClass.DOMAIN, DomainEvent.FAULT): "domain fault",
}
_CALL_NAMES: Final = {"ENTER": "syscall entry", "EXIT": "syscall exit"}
_CALL_LIMIT: Final = 128
_CORE: Final = -1
_SWITCH: Final = (EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
_FINALIZE: Final = (EventClass.TRACER, TracerEvent.FINALIZE)


class XmExporter:
    """Converts events to lines, chunk by chunk."""

    def __init__(
        self,
        boots: BootOf,
        *,
        symbolic: bool = False,
    ) -> None:
        """Create an exporter.

        Args:
            boots: returns a `Boot` for an epoch.
            symbolic: whether to replace addresses by symbols, as far as known.
        """
        self._walk = Walk(boots)
        self._symbolic = symbolic
        self._last_ns: dict[int, int] = {}  # time of the last line, by CPU

    def head(self) -> Iterator[str]:
        """Return no lines: the layout has no header."""
        return iter(())

    def lines(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[str]:
        """Yield the lines of the next events, without line ends."""
        for item in self._walk.items(columns, chosen):
            match item:
                case Gap():
                    yield gap_line(item)
                case Reset():
                    self._last_ns.clear()
                    yield "-- the target was reset"
                case _:
                    yield self._line(item.event)

    def tail(self) -> Iterator[str]:
        """Return no lines: the layout has no trailer."""
        return iter(())

    def _line(self, event: Event) -> str:
        if (event.cls, event.event) == _FINALIZE:
            # The next line begins another trace; its first time is relative to 0.
            self._last_ns.pop(event.cpu, None)
            trace, lost = (*event.words, 0, 0)[:2]
            return f"That was trace # {trace} (lost {lost} traces befor this trace)"
        now_ns = self._walk.time_ns(event.time_ticks)
        delta_ns = now_ns - self._last_ns.get(event.cpu, 0)
        self._last_ns[event.cpu] = now_ns
        data, address = _words(event)
        return (
            f"D{event.domain or _CORE:2} {delta_ns:6} {self._name(event):<23} "
            f"{hex(data) if data else '0':>10} {self._place(address)}"
        )

    def _name(self, event: Event) -> str:
        what = event.type
        said = self._walk.names.event(what.code) or _NAMES.get((event.cls, event.event))
        if said is not None:
            return said
        if event.cls == EventClass.KERCALL and what.kind in _CALL_NAMES:
            return _CALL_NAMES[what.kind]
        if event.cls == EventClass.USER:
            return "user"
        return f"{what.class_name}.{what.name}" if what.since else "unknown"

    def _place(self, address: int | None) -> str:
        named = None
        if self._symbolic and address is not None:
            named = self._walk.names.place(address)
        return named or f"<0x{address or 0:08x}>"


def _words(event: Event) -> tuple[int, int | None]:
    """Return the word of data and the address of an event; None where it has no address."""
    words, what = (*event.words, 0, 0), event.type
    if event.cls == EventClass.KERCALL:
        return event.event % _CALL_LIMIT, None
    if (event.cls, event.event) == _SWITCH:
        return words[1], None  # the next thread
    if event.cls == EventClass.USER or event.cls >= APPLICATION_CLASS_FIRST:
        return words[0], words[1]  # as xm_trace() records them
    place = _address_place(what)
    data = words[1] if place == 0 else words[0]
    return data, None if place is None else words[place]


def _address_place(what: EventType) -> int | None:
    """Return the index of the word that is an address, the last one if there are several."""
    places = [place for place, known in enumerate(what.fields) if known.type == "address"]
    return places[-1] if places else None
