"""Decode packets of ITM and DWT from a stream that begins anywhere and lacks some bytes.

    decoder = AlignedItm()
    decoder.receive(data)
    for packet in decoder.packets(): ...    # with Skipped where bytes are not packets
    decoder.finish()

A trace unit sends a synchronization packet rarely or never, and nearly every byte can begin a
packet. The boundary of packets is therefore found by likelihood. A packet costs the bits that a
compressor would need for it: few for a first byte that is common in this stream and for payload
that occurred before. A skipped byte costs more than a byte of payload, and to begin and to end a
skipped run costs extra. Dynamic programming finds the cheapest division of a window into packets
and skipped runs (Viterbi, 1967); it never divides a window differently because of legal packets
that are merely rare, since skipping them would cost more.

The window is examined only where a packet is unfamiliar: its first byte is rare in the stream or
illegal. It begins some bytes before that place, because a wrong boundary is noticed late.

No I/O. Memory is bounded by the window and the input of one call.
"""

from __future__ import annotations

import math
import re
from collections import Counter, deque
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Final

from tickertape.decode.itm import LOCAL_TIMESTAMP, ItmDecoder, Skipped, packets_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape.decode.itm import Packet

_LEARN_BYTES: Final = 4096
_BEFORE_BYTES: Final = 256
_AFTER_BYTES: Final = 512
_KEPT_BYTES: Final = 384
_RUN_PACKETS: Final = 32

# Costs in bits. A byte of payload costs 8 at most. A skipped byte costs more than 8, so that
# packets that are new in a stream are not skipped. Noise is skipped, because only few legal packets
# follow each other in it.
_SKIP_BITS: Final = 9.5
_ENTER_BITS: Final = 14.0
_LEAVE_BITS: Final = 14.0
_BEGIN_BITS: Final = 6.0  # to leave the run at the begin of a stream
_UNKNOWN_BITS: Final = 64.0
_IMPOSSIBLE: Final = math.inf
_MOST_SKIPPED: Final = 0.3
_PRIOR_WEIGHT: Final = 8.0
_PRIOR_SHARE: Final = 0.1
_BYTE_WEIGHT: Final = 4.0
_FAMILIAR: Final = 3
_MOST_COUNTED: Final = 1 << 16

_SIZES: Final = {1: 1, 2: 2, 3: 4}
_SYNC: Final = re.compile(rb"\x00{5,}\x80")
_STAMP: Final = re.compile(LOCAL_TIMESTAMP)
_GLOBAL: Final = re.compile(
    rb"\x94[\x80-\xff]{0,3}[\x00-\x7f]|\xb4[\x80-\xff]{3}(?:[\x80-\xff]{2})?[\x00-\x7f]"
)
_EXTENSION: Final = re.compile(rb"[\x08-\x7f]|[\x88-\xff][\x80-\xff]{0,3}[\x00-\x7f]")
_LONGEST: Final = 7
_COUNTED_BYTES: Final = 5
_VARIED: Final = 4  # a byte with a new value in a quarter of the packets may have any value
_WIDENED: Final = 2
_ENOUGH_PACKETS: Final = 64
_OVERFLOW: Final = 0x70
_EXCEPTION: Final = 0x0E
_EXCEPTION_FORM: Final = rb"\x0e[\x00-\xff][\x10\x11\x20\x21\x30\x31]"
_EXCEPTION_STEPS: Final = frozenset({0x10, 0x11, 0x20, 0x21, 0x30, 0x31})
_MORE: Final = 0x80
_NOT_PACKETS: Final = "not packets"


_COMMON_HEADS: Final = frozenset({0x17, 0x0E, 0xC0})  # PC samples, exceptions, time stamps
_RARER_HEADS: Final = frozenset(
    {0x00, 0x05, 0x15, _OVERFLOW, 0xD0, 0xE0, 0xF0, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60}
)
_USUAL_PORTS: Final = frozenset({0, 1, 31})
# Global time stamps, and packets of the DWT of Armv8-M: overflow of the PMU, matches.
_RARE_HEADS: Final = frozenset({0x94, 0xB4, 0x1D, 0x45, 0x55, 0x65, 0x75})
_DATA_TRACE: Final = frozenset(
    head
    for head in range(256)
    if head & 4
    and head & 3
    and (head >> 6 == 2 or (head >> 6 == 1 and head & 0x0B in {0x03, 0x0A}))  # noqa: PLR2004 - DDI 0403E, table D4-5
)


@cache
def _prior_bits(head: int) -> float:
    """Return what the first byte of a packet costs before the stream is known, in bits."""
    if head in _COMMON_HEADS:
        return 4.0
    if head & 3 and not head & 4:
        return 6.0 if head >> 3 in _USUAL_PORTS else 10.0
    if head in _RARER_HEADS:
        return 7.0
    if head in _DATA_TRACE:
        return 8.0
    return 9.0 if head in _RARE_HEADS else _UNKNOWN_BITS


class _Model:
    """Frequencies of first bytes and of payload bytes in a stream."""

    def __init__(self) -> None:
        self._heads: Counter[int] = Counter()
        self._bytes: dict[tuple[int, int], Counter[int]] = {}
        self._total = 0

    def learn(self, packet: bytes) -> None:
        """Count a packet."""
        head = packet[0]
        if self._total >= _MOST_COUNTED:
            return
        self._heads[head] += 1
        self._total += 1
        for place in range(1, min(len(packet), _COUNTED_BYTES)):
            self._bytes.setdefault((head, place), Counter())[packet[place]] += 1

    def bits(self, data: bytes, begin: int, end: int) -> float:
        """Return what a packet costs."""
        head = data[begin]
        prior = 2.0 ** -_prior_bits(head)
        learnt = (self._heads[head] + _PRIOR_WEIGHT * prior) / (self._total + _PRIOR_WEIGHT)
        cost = -math.log2((1 - _PRIOR_SHARE) * learnt + _PRIOR_SHARE * prior)
        for place in range(begin + 1, end):
            counts = self._bytes.get((head, place - begin))
            if counts is None:
                cost += 8.0
                continue
            times = counts[data[place]] + _BYTE_WEIGHT / 256
            cost += min(math.log2((counts.total() + _BYTE_WEIGHT) / times), 8.0)
        return cost

    def is_usual(self, packet: bytes) -> bool:
        """Return whether a packet has a familiar first byte, and payload as in other packets.

        A synchronization is always usual; so is everything before enough packets were counted.
        """
        head = packet[0]
        if head == 0 or self._total < _ENOUGH_PACKETS:
            return True
        if self._heads[head] < _FAMILIAR:
            return False
        for place in range(1, min(len(packet), _COUNTED_BYTES)):
            counts = self._bytes.get((head, place), Counter())
            if not counts[packet[place]] and len(counts) * _VARIED < counts.total():
                return False
        return True

    def familiar(self) -> frozenset[int]:
        """Return the first bytes that are common."""
        return frozenset(head for head, count in self._heads.items() if count >= _FAMILIAR)


def packet_end(data: bytes, begin: int) -> int:
    """Return the end of the packet at `begin`; 0 if none begins there or it is not complete."""
    head = data[begin]
    if head & 3:
        end = begin + 1 + _SIZES[head & 3]
        if end > len(data) or (head == _EXCEPTION and data[begin + 2] not in _EXCEPTION_STEPS):
            return 0
        return end
    if head == 0:
        found = _SYNC.match(data, begin)
    elif head == _OVERFLOW:
        return begin + 1
    elif head & 0x0F == 0:
        found = _STAMP.match(data, begin)
    elif head & 0x0F == 4:  # noqa: PLR2004 - global time stamps
        found = _GLOBAL.match(data, begin)
    elif head & 0x08:
        found = _EXTENSION.match(data, begin)
    else:
        return 0
    return found.end() if found else 0


Part = tuple[int, int, bool]
"""Begin and end of a piece of data, and whether it is a packet."""


class Entry(Enum):
    """What is known about the begin of a window."""

    PACKET = 1
    """A packet begins there."""
    RUN = 2
    """It continues a skipped run."""
    ANYWHERE = 3
    """A stream begins there, perhaps within a packet."""


def divide(data: bytes, model: _Model, entry: Entry, *, is_end: bool) -> list[Part]:
    """Divide a window into packets and skipped runs.

    Args:
        data: the window.
        model: what is known about the stream.
        entry: what is known about the begin of the window.
        is_end: no bytes follow: a packet that is cut at the end is skipped. Otherwise the parts may
            end up to seven bytes before the end of the window.

    Returns:
        One part per packet, and one per skipped run.
    """
    size = len(data)
    aligned, skipping = [_IMPOSSIBLE] * (size + 1), [_IMPOSSIBLE] * (size + 1)
    packet_begin, run_begin = [0] * (size + 1), [0] * (size + 1)
    is_after_run = [False] * (size + 1)
    if entry is not Entry.RUN:
        aligned[0] = 0.0
    if entry is not Entry.PACKET:
        skipping[0] = 0.0
    for at in range(size):
        is_free = entry is Entry.ANYWHERE and run_begin[at] == 0
        leaving = skipping[at] + (_BEGIN_BITS if is_free else _LEAVE_BITS)
        if leaving < aligned[at]:
            aligned[at], is_after_run[at] = leaving, True
        here = aligned[at]
        end = packet_end(data, at)
        if end and (cost := here + model.bits(data, at, end)) < aligned[end]:
            aligned[end], packet_begin[end], is_after_run[end] = cost, at, False
        enter, go_on = here + _ENTER_BITS, skipping[at]
        if go_on <= enter:
            skipping[at + 1], run_begin[at + 1] = go_on + _SKIP_BITS, run_begin[at]
        else:
            skipping[at + 1], run_begin[at + 1] = enter + _SKIP_BITS, at
    at, is_in_run = size, skipping[size] < aligned[size]
    if not is_end:
        # The last packet may be longer than the window: its bytes cost as payload.
        cut = min(range(max(size - _LONGEST, 0), size + 1), key=lambda end: aligned[end] - 8 * end)
        if aligned[cut] + 8 * (size - cut) <= skipping[size]:
            at, is_in_run = cut, False
    parts: list[Part] = []
    while at > 0:
        is_in_run = is_in_run or is_after_run[at]
        begin = run_begin[at] if is_in_run else packet_begin[at]
        parts.append((begin, at, not is_in_run))
        at, is_in_run = begin, False
    return parts[::-1]


def widened(data: bytes, parts: list[Part], model: _Model) -> list[Part]:
    """Add unusual packets beside a skipped run to the run, at most two on each side.

    Where bytes are lost, the rest of one packet and the begin of the next make a false packet.
    """
    for step in (1, -1):
        row = parts[::step]
        for place in [at for at, part in enumerate(row) if not part[2]]:
            for at in range(place + 1, min(place + 1 + _WIDENED, len(row))):
                begin, end, is_packet = row[at]
                if is_packet and model.is_usual(data[begin:end]):
                    break
                row[at] = begin, end, False
        parts = row[::step]
    return parts


def packet_share(data: bytes) -> float:
    """Return how much packets explain of some bytes, 0 to 1: the bits that they save."""
    if not data:
        return 0.0
    model = _Model()
    for _ in range(2):
        parts = divide(data, model, Entry.ANYWHERE, is_end=True)
        model = _Model()
        for begin, end, is_packet in parts:
            if is_packet:
                model.learn(data[begin:end])
    bits = sum(
        model.bits(data, begin, end) if is_packet else 9.5 * (end - begin)
        for begin, end, is_packet in parts
    )
    return max(1 - bits / (9.5 * len(data)), 0.0)


class AlignedItm:
    """Decodes packets and skips what is none; input may be cut at any byte.

    Attributes:
        skipped: number of skipped bytes, by reason.
    """

    def __init__(self) -> None:
        """Start before a stream, which may begin within a packet."""
        self.skipped: Counter[str] = Counter()
        self._decoder = ItmDecoder()
        self._packets: deque[Packet] = deque()
        self._model = _Model()
        self._data = b""
        self._entry = Entry.ANYWHERE
        self._run: re.Pattern[bytes] | None = None
        self._familiar: frozenset[int] = frozenset()
        self._run_bytes = 0

    def receive(self, data: bytes) -> None:
        """Decode the next bytes."""
        self._data += data
        self._decode(is_end=False)

    def packets(self) -> Iterator[Packet]:
        """Yield the complete packets, and `Skipped` after each skipped run."""
        while self._packets:
            yield self._packets.popleft()

    def finish(self) -> None:
        """End the input: the bytes of an incomplete packet count as skipped."""
        self._decode(is_end=True)
        self._end_run("cut at the end" if self._run_bytes < _LONGEST else _NOT_PACKETS)

    def lose(self, count: int) -> None:
        """Note that bytes are missing before the next ones; `count` of them were skipped before."""
        self._decode(is_end=True)
        self._run_bytes += count
        self._end_run(_NOT_PACKETS)
        self._entry = Entry.ANYWHERE

    def _decode(self, *, is_end: bool) -> None:
        data, at = self._data, 0
        if not is_end and len(data) < (_LEARN_BYTES if self._run is None else 1):
            return
        if self._run is None:
            self._learn_begin(data[:_LEARN_BYTES], is_end=is_end and len(data) <= _LEARN_BYTES)
        while at < len(data):
            begin, stop = self._familiar_run(data, at)
            self._emit(data[at:begin])
            at = begin
            if is_end and stop == len(data):
                self._emit(data[at:])
                at = stop
            elif is_end or len(data) - stop >= _AFTER_BYTES:
                at = self._examine(data, at, stop, is_end=is_end)
            else:
                break
        self._data = data[at:]

    def _learn_begin(self, data: bytes, *, is_end: bool) -> None:
        """Learn the model from the begin of a stream: divide it, count, divide again, count.

        Bytes that are all packets from the first one on are not divided in another way.
        """
        whole = _strict_parts(data, is_end=is_end)
        if whole:
            self._entry = Entry.PACKET
            for begin, end, _ in whole:
                self._model.learn(data[begin:end])
            self._use_familiar()
            return
        for _ in range(2):
            parts = divide(data, self._model, Entry.ANYWHERE, is_end=is_end)
            self._model = _Model()
            skipped = sum(end - begin for begin, end, is_packet in parts if not is_packet)
            if skipped > _MOST_SKIPPED * len(data):
                break  # noise: not a model of packets
            for begin, end, is_packet in parts:
                if is_packet:
                    self._model.learn(data[begin:end])
        self._use_familiar()

    def _use_familiar(self) -> None:
        familiar = self._model.familiar()
        if self._run is None or familiar != self._familiar:
            self._familiar, self._run = familiar, _run_of(familiar)

    def _familiar_run(self, data: bytes, at: int) -> tuple[int, int]:
        """Follow familiar packets; return where a window has to begin, and where the run ends."""
        if self._entry is not Entry.PACKET or self._run is None:
            return at, at
        ends = deque([at], maxlen=_BEFORE_BYTES // _RUN_PACKETS + 2)
        while found := self._run.match(data, ends[-1]):
            ends.append(found.end())
        stop = ends[-1]
        return next((end for end in reversed(ends) if end <= stop - _BEFORE_BYTES), ends[0]), stop

    def _examine(self, data: bytes, at: int, stop: int, *, is_end: bool) -> int:
        """Divide a window around an unfamiliar place; return the offset up to which it is done."""
        window = data[at : stop + _AFTER_BYTES]
        is_last = is_end and at + len(window) == len(data)
        limit = len(window) if is_last else stop - at + _KEPT_BYTES
        done = 0
        parts = divide(window, self._model, self._entry, is_end=is_last)
        for begin, end, is_packet in widened(window, parts, self._model):
            if begin >= limit:
                break
            if is_packet:
                self._end_run(_NOT_PACKETS)
                self._emit(window[begin:end])
                self._model.learn(window[begin:end])
                self._entry, done = Entry.PACKET, end
            else:
                done = min(end, limit)
                self._run_bytes += done - begin
                self._entry = Entry.RUN if done == limit else Entry.PACKET
        self._use_familiar()
        return at + done

    def _emit(self, data: bytes) -> None:
        if data:
            self._decoder.receive(data)
            self._packets.extend(self._decoder.packets())

    def _end_run(self, why: str) -> None:
        count, self._run_bytes = self._run_bytes, 0
        if count:
            self.skipped[why] += count
            self._packets.append(Skipped(count))


def _strict_parts(data: bytes, *, is_end: bool) -> list[Part]:
    """Return the packets from the first byte on; empty if some bytes are not a known packet."""
    parts: list[Part] = []
    at = 0
    while at < len(data):
        end = packet_end(data, at)
        if not end or _prior_bits(data[at]) >= _UNKNOWN_BITS:
            is_cut = not is_end and len(data) - at < _LONGEST
            return parts if is_cut else []
        parts.append((at, end, True))
        at = end
    return parts


def _run_of(familiar: frozenset[int]) -> re.Pattern[bytes]:
    """Return the pattern of a row of packets that begin with familiar bytes."""
    sources = {head for head in familiar if head & 3 and head != _EXCEPTION}
    forms = [rb"\x00{5,16}\x80"]
    if sources:
        forms.append(packets_of(sources))
    if _EXCEPTION in familiar:
        forms.append(_EXCEPTION_FORM)
    for head in familiar - sources:
        if head == _OVERFLOW:
            forms.append(rb"\x70")
        elif head and head & 0x0F == 0:
            mark = re.escape(bytes([head]))
            forms.append(mark + rb"[\x80-\xff]{0,3}[\x00-\x7f]" if head & _MORE else mark)
        elif head & 0x0F == 4:  # noqa: PLR2004 - global time stamps
            forms.append(_GLOBAL.pattern)
    return re.compile(rb"(?:%b){1,%d}+" % (b"|".join(forms), _RUN_PACKETS), re.DOTALL)
