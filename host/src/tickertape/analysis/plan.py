"""Check whether a link and a memory carry the load of a tape without a loss; find such values.

docs/plan.md describes the method, `backlog` the bounds.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.analysis.backlog import RECORDS_SHARE, Service, arrivals, waiting
from tickertape.analysis.demand import Layout, demand_of
from tickertape.errors import UsageError
from tickertape.protocol.events import EventClass
from tickertape.protocol.lookup import class_name
from tickertape.protocol.wire import RECORD_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.analysis.demand import BootDemand, Burst
    from tickertape.tape.reader import TapeReader

BUFFER_HEAD_BYTES: Final = 48
"""Memory of a buffer in addition to its records (firmware/include/tickertape/config.h)."""
MOST_BUFFERS: Final = 255

_UART_BITS: Final = 10  # per byte: start bit, eight data bits, stop bit
_ITM_SHARE: Final = 4 / 5  # a packet has a header and four bytes
_BAUDS: Final = (
    *(9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, 1_000_000, 1_500_000),
    *(2_000_000, 3_000_000, 4_000_000, 6_000_000, 8_000_000, 12_000_000),
)
_BITS_OF: Final = {"uart": _UART_BITS, "swo": _UART_BITS / _ITM_SHARE}
_WINDOWS_S: Final = tuple(digit * 10.0**power for power in range(-5, 4) for digit in (1, 2, 5))
# The model of the kernel needs these classes: they are never switched off.
_KEPT: Final = frozenset(
    {EventClass.CONTROL, EventClass.TRACER, EventClass.THREAD, EventClass.SCHED, EventClass.SYSTEM}
)
_FASTEST: Final = 1e10
_CLOSE: Final = 1.002


class Verdict(Enum):
    """Whether a plan loses no record."""

    FITS = "fits"
    TOO_SMALL = "too small"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class PlannedLink:
    """A link to plan with.

    Attributes:
        kind: `uart`, `swo`, `rtt` or `rate`.
        baud: rate of uart and swo, else None.
        bytes_per_s: rate of frames; None when unknown.
    """

    kind: str
    baud: int | None
    bytes_per_s: float | None


@dataclass(frozen=True)
class Window:
    """Greatest load in any window of one length.

    Attributes:
        seconds: length of the window.
        records: greatest number of records.
        bytes: greatest number of bytes on the link.
        bytes_per_s: rate of a link that carries them without waiting.
    """

    seconds: float
    records: int
    bytes: int
    bytes_per_s: float


@dataclass(frozen=True)
class RingPlan:
    """Buffers that one ring needs; the worst case of all boots.

    Attributes:
        stream: stream number.
        cpu: CPU number.
        least_buffers: fewer buffers lose records, whatever the drain does; None: unknown.
        buffers: this many buffers lose no record; None: unknown.
        at_s: time at which the most records waited, in seconds of the target's clock.
    """

    stream: int
    cpu: int
    least_buffers: int | None
    buffers: int | None
    at_s: float


@dataclass(frozen=True)
class Plan:
    """Result of a plan.

    Attributes:
        link: the planned link.
        verdict: whether `buffers` buffers per ring on that link lose no record.
        reasons: reasons why a result is unknown or a bound, one line each.
        buffers: planned buffers in each ring.
        buffer_records: records in a buffer.
        packed: buffers are sent packed.
        latency_s: longest time until the drain runs when a buffer is due, in seconds.
        rings: buffers that each ring needs on the link.
        needed_bytes: memory of all rings with the buffers that they need; None: unknown.
        lowest_bytes_per_s: lowest rate that loses no record with `buffers`; None: no rate does.
        lowest_baud: lowest usual baud rate of at least that rate; None if the link has none.
        windows: the arrival curve.
        by_class: share of each class in the bytes, the greatest first.
        switch_off: classes to switch off so that it fits; None if not needed or not enough.
        lost_records: records that are missing on the tape.
    """

    link: PlannedLink
    verdict: Verdict
    reasons: tuple[str, ...]
    buffers: int
    buffer_records: int
    packed: bool
    latency_s: float
    rings: tuple[RingPlan, ...]
    needed_bytes: int | None
    lowest_bytes_per_s: float | None
    lowest_baud: int | None
    windows: tuple[Window, ...]
    by_class: dict[str, float]
    switch_off: tuple[str, ...] | None
    lost_records: int

    def to_json(self) -> dict[str, object]:
        """Return the plan as JSON values."""
        return asdict(self) | {"verdict": self.verdict.value}


def link_of(text: str) -> PlannedLink:
    """Parse `uart:BAUD`, `swo:BAUD`, `rtt`, `rtt:BYTES` or `rate:BYTES`.

    Raises:
        UsageError: the text has none of these forms.
    """
    kind, _, number = text.partition(":")
    rate = int(number) if number.isascii() and number.isdecimal() else 0
    if kind in _BITS_OF and rate:
        return PlannedLink(kind, rate, rate / _BITS_OF[kind])
    if kind in {"rtt", "rate"} and rate:
        return PlannedLink(kind, None, float(rate))
    if text == "rtt":
        return PlannedLink(kind, None, None)
    raise UsageError(
        f"{text!r} is not a link to plan with",
        "name uart:BAUD, swo:BAUD, rtt, rtt:BYTES_PER_SECOND or rate:BYTES_PER_SECOND",
    )


@dataclass(frozen=True)
class PlanOptions:
    """The options of a plan.

    Attributes:
        buffers: buffers in each ring; None: as many as the target on the tape had.
        buffer_records: records in a buffer; None: as many as on the tape.
        packed: buffers are sent packed.
        latency_s: longest time until the drain runs when a buffer is due, in seconds.
        stored_bytes: capacity of the link's own store, its FIFO.
    """

    buffers: int | None = None
    buffer_records: int | None = None
    packed: bool = True
    latency_s: float = 0.0
    stored_bytes: int = 1024


def plan_of(reader: TapeReader, link: PlannedLink, options: PlanOptions | None = None) -> Plan:
    """Plan a link and its memory for the load of a tape.

    Reads the tape twice, and again for each class that it proposes to switch off.

    Raises:
        UsageError: the tape has no records, or its clock rate is unknown.
    """
    planner = _Planner(reader, link, options or PlanOptions())
    return planner.plan()


class _Planner:
    """Computes one plan."""

    def __init__(self, reader: TapeReader, link: PlannedLink, options: PlanOptions) -> None:
        hello = reader.hello
        if not reader.record_count:
            raise UsageError(f"{reader.path} has no records to plan with", "capture some first")
        if hello is None or not hello.tick_hz:
            raise UsageError(
                f"the clock rate of the target on {reader.path} is unknown, and so are rates",
                "capture until HELLO arrives, about a second",
            )
        self._reader, self._link, self._options = reader, link, options
        self._records = options.buffer_records or hello.buffer_records
        self._buffers = options.buffers or hello.buffer_count
        self._boots = self._demand(frozenset())

    def _demand(self, without: frozenset[int]) -> list[BootDemand]:
        layout = Layout(self._records, self._options.packed, without)
        boots = []
        for epoch in self._reader.epochs:
            hz = self._reader.clock(epoch).hz
            boots.append(demand_of(self._reader, epoch, hz, layout))
        return [boot for boot in boots if boot.rings]

    def plan(self) -> Plan:
        """Compute the plan."""
        rate = self._link.bytes_per_s
        rings = self._rings(self._boots, rate)
        verdict = self._verdict(rings)
        lowest = self._lowest(self._boots)
        fits = verdict is Verdict.FITS
        return Plan(
            link=self._link,
            verdict=verdict,
            reasons=self._reasons(),
            buffers=self._buffers,
            buffer_records=self._records,
            packed=self._options.packed,
            latency_s=self._options.latency_s,
            rings=rings,
            needed_bytes=self._memory(rings),
            lowest_bytes_per_s=lowest,
            lowest_baud=None if lowest is None else _usual_baud(self._link.kind, lowest),
            windows=_windows(self._boots),
            by_class=self._shares(),
            switch_off=None if fits or rate is None or self._unknown else self._switch_off(rate),
            lost_records=sum(burst.records for burst in self._bursts),
        )

    @property
    def _unknown(self) -> int:
        return sum(ring.unknown for boot in self._boots for ring in boot.rings)

    @property
    def _bursts(self) -> list[Burst]:
        return [one for boot in self._boots for ring in boot.rings for one in ring.bursts]

    def _rings(self, boots: Sequence[BootDemand], rate: float | None) -> tuple[RingPlan, ...]:
        """Return the buffers that each ring needs, the most of all boots."""
        found: dict[tuple[int, int], RingPlan] = {}
        for boot in boots:
            for ring in boot.rings:
                found.setdefault(ring.ring[1:], RingPlan(*ring.ring[1:], None, None, 0.0))
            if rate is None:
                continue
            options = self._options
            service = Service(rate, options.latency_s, self._records, options.stored_bytes)
            for one in waiting(boot, service):
                before = found[one.ring[1:]]
                is_more = one.most >= (before.buffers or 0)
                found[one.ring[1:]] = RingPlan(
                    *one.ring[1:],
                    least_buffers=max(one.least, before.least_buffers or 0),
                    buffers=max(one.most, before.buffers or 0),
                    at_s=one.ticks / boot.tick_hz if is_more else before.at_s,
                )
        if self._unknown:
            found = {key: replace(one, buffers=None) for key, one in found.items()}
        return tuple(found[key] for key in sorted(found))

    def _verdict(self, rings: Sequence[RingPlan]) -> Verdict:
        if any((ring.least_buffers or 0) > self._buffers for ring in rings):
            return Verdict.TOO_SMALL
        if all(ring.buffers is not None and ring.buffers <= self._buffers for ring in rings):
            return Verdict.FITS
        return Verdict.UNKNOWN

    def _reasons(self) -> tuple[str, ...]:
        lost = sum(burst.records for burst in self._bursts)
        found = []
        if self._link.bytes_per_s is None:
            found.append("the rate of rtt depends on the probe: name it, as in rtt:500000")
        if self._unknown:
            found.append(
                f"an unknown number of records is missing at {self._unknown} places of the tape"
            )
        if lost:
            found.append(
                f"{lost} records are missing on the tape; the bounds assume that they came in "
                "bursts, each at the worst moment of its gap"
            )
        return tuple(found)

    def _memory(self, rings: Sequence[RingPlan]) -> int | None:
        """Return the memory of all rings, each with the most buffers that any ring needs."""
        needs = [ring.buffers for ring in rings]
        known = [need for need in needs if need is not None]
        if len(known) < len(needs):
            return None
        buffer_bytes = self._records * RECORD_BYTES + BUFFER_HEAD_BYTES
        return max(known, default=0) * len(known) * buffer_bytes

    def _fits(self, boots: Sequence[BootDemand], rate: float) -> bool:
        return self._verdict(self._rings(boots, rate)) is Verdict.FITS

    def _lowest(self, boots: Sequence[BootDemand]) -> float | None:
        """Return the lowest rate that fits, rounded up; None if no rate fits or if unknown."""
        if self._unknown or not self._fits(boots, _FASTEST):
            return None
        low, high = 1.0, _FASTEST
        while high > low * _CLOSE:
            middle = (low * high) ** 0.5
            if self._fits(boots, middle):
                high = middle
            else:
                low = middle
        return high

    def _by_class(self) -> list[tuple[int, float]]:
        """Return the classes that occur and their bytes, the most bytes first."""
        rings = [ring.bytes_by_class for boot in self._boots for ring in boot.rings]
        sizes = enumerate(np.sum(rings, axis=0).tolist())
        return sorted(((one, size) for one, size in sizes if size), key=lambda pair: -pair[1])

    def _shares(self) -> dict[str, float]:
        whole = sum(size for _, size in self._by_class()) or 1.0
        return {class_name(number): size / whole for number, size in self._by_class()}

    def _switch_off(self, rate: float) -> tuple[str, ...] | None:
        """Return classes to switch off, those with the most bytes first, until the rest fits."""
        off: list[int] = []
        for one, _ in self._by_class():
            if one not in _KEPT:
                off.append(one)
                if self._fits(self._demand(frozenset(off)), rate):
                    return tuple(map(class_name, off))
        return None


def _usual_baud(kind: str, bytes_per_s: float) -> int | None:
    """Return the lowest usual baud rate that carries these bytes; None if the link has none."""
    bits = _BITS_OF.get(kind)
    if bits is None:
        return None
    return next((baud for baud in _BAUDS if baud / bits >= bytes_per_s), None)


def _windows(boots: Sequence[BootDemand]) -> tuple[Window, ...]:
    """Return the arrival curve, with missing records at their latest possible time."""
    found = []
    longest = max((_span_s(boot) for boot in boots), default=0.0)
    for seconds in _WINDOWS_S:
        if any(seconds * boot.tick_hz < boot.grain for boot in boots):
            continue
        records, size = np.max([_most_in(boot, seconds) for boot in boots], axis=0).tolist()
        found.append(Window(seconds, int(records), int(size), size / seconds / RECORDS_SHARE))
        if seconds >= longest:
            break
    return tuple(found)


def _span_s(boot: BootDemand) -> float:
    ticks = [ring.ticks for ring in boot.rings if len(ring.ticks)]
    if not ticks:
        return 0.0
    return (max(int(one[-1]) for one in ticks) - min(int(one[0]) for one in ticks)) / boot.tick_hz


def _most_in(boot: BootDemand, seconds: float) -> tuple[float, float]:
    """Return the most records and bytes in a window of one boot."""
    ticks, records, size = arrivals(boot)
    if not len(ticks):
        return 0.0, 0.0
    end = np.searchsorted(ticks, ticks + round(seconds * boot.tick_hz) + boot.grain, "right") - 1
    count, total = np.cumsum(records), np.cumsum(size)
    return (
        float((count[end] - count + records).max()),
        float((total[end] - total + size).max()),
    )
