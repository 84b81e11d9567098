"""A simulated target that uses all functions of the recorder.

`SimulatedTarget` records and sends with one policy. This one also starts and stops streams, changes
their policies during a boot, finalizes traces, sheds classes, holds and attaches streams, reads
buffers on the target, sends a buffer in two packed frames and records after a final STATUS.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.support.packing import PackedFields, packed_body
from tests.support.target import (
    CONTROL,
    DROP,
    DROPPED,
    HALF_PERIOD,
    OVERWRITE,
    OVERWRITTEN,
    TIME,
    UNTIL_FULL,
    WAITING,
    Buffer,
    OpenCombine,
    Ring,
    RingState,
    SentFrame,
    SimulatedTarget,
)
from tests.support.wire_bytes import BEGIN, PACKED, SIMPLE, RawRecord

USER = 6
FINALIZE, FINALIZE_FREE = 3, 4
POLICIES = (OVERWRITE, UNTIL_FULL, DROP, FINALIZE, FINALIZE_FREE)
GIVEN_UP_AT_ONCE = 8
MOST_STEPS = 1000


@dataclass
class Stream:
    """Settings of a stream."""

    policy: int
    running: bool = True
    held: bool = False
    shed_classes: frozenset[int] = frozenset()


class BusyTarget(SimulatedTarget):
    """A target with all functions of the recorder. `streams_now`: streams of the current boot."""

    nested = False  # combine events stay open over several actions
    streams_now: list[Stream]
    taken: dict[Ring, Buffer]
    opened: list[OpenCombine]  # incomplete combine events, of several threads

    def _begin_boot(self) -> None:
        super()._begin_boot()
        self.streams_now = [Stream(self.policy) for _ in range(self.streams)]
        self.taken = {}
        self.opened = []

    # Control.

    def start(self, stream: int) -> None:
        """Start a stream."""
        self.streams_now[stream].running = True

    def stop(self, stream: int) -> None:
        """Stop a stream; an open buffer stays open until it is flushed."""
        self.streams_now[stream].running = False

    def is_empty(self, stream: int) -> bool:
        """Return whether no buffer of a stream holds records."""
        return not any(
            state.full or state.filling is not None or ring in self.taken
            for ring, state in self.rings.items()
            if ring[0] == stream
        )

    def set_policy(self, stream: int, policy: int) -> bool:
        """Change the policy; return False if the stream runs or its rings are not empty."""
        if self.streams_now[stream].running or not self.is_empty(stream):
            return False
        self.streams_now[stream].policy = policy
        return True

    def finalize(self, ring: Ring) -> None:
        """Finalize the trace in the open buffer; overwrite it if no other buffer is free."""
        state = self.rings[ring]
        if self.streams_now[ring[0]].policy not in {FINALIZE, FINALIZE_FREE}:
            return
        if state.filling is not None and self._used(ring) >= self.buffers - 1:
            self._give_up(state, state.filling, len(state.filling.records))
            state.filling = None
            state.settle_shed()
        else:
            super().flush(ring)

    def flush(self, ring: Ring) -> None:
        """Close the open buffer; a FINALIZE trace stays open while its stream runs."""
        stream = self.streams_now[ring[0]]
        if not (stream.running and stream.policy in {FINALIZE, FINALIZE_FREE}):
            super().flush(ring)

    # Recording.

    def _used(self, ring: Ring) -> int:
        return len(self.rings[ring].full) + (ring in self.taken)

    def _offer(self, ring: Ring, record: RawRecord) -> None:
        state, stream = self.rings[ring], self.streams_now[ring[0]]
        # A buffer stays open when its stream stops; then it still must record counter wraps.
        keeps_time = (record.cls, record.event) == (CONTROL, TIME) and state.filling is not None
        if not stream.running and not keeps_time:
            return
        short = self._used(ring) >= self.buffers - 1
        if state.filling is not None:
            if short and record.cls in stream.shed_classes:
                state.dropped += 1
                state.shed.append(record)
            else:
                self._store(ring, record)
        elif not (short and record.cls in stream.shed_classes) and self._open_for(ring):
            self._store(ring, record)
        else:
            self._drop(ring, record, full=self._used(ring) >= self.buffers)

    def _drop(self, ring: Ring, record: RawRecord, *, full: bool) -> None:
        state, stream = self.rings[ring], self.streams_now[ring[0]]
        state.fates.append(DROPPED)
        state.records.append(record)
        state.dropped += 1
        if full and stream.policy == UNTIL_FULL:
            stream.running = False

    def _open_for(self, ring: Ring) -> bool:
        state = self.rings[ring]
        if self._used(ring) >= self.buffers:
            if self.streams_now[ring[0]].policy != OVERWRITE:
                return False
            victim = state.full.popleft()
            self._give_up(state, victim, len(victim.records))
        state.filling = Buffer(len(state.fates), state.dropped, self.now, state.sequence)
        state.sequence += 1
        return True

    def _store(self, ring: Ring, record: RawRecord) -> None:
        state, stream = self.rings[ring], self.streams_now[ring[0]]
        buffer = state.filling
        assert buffer is not None
        if len(buffer.records) == self.buffer_records:  # FINALIZE keeps a full buffer open
            self._give_up(state, buffer, min(GIVEN_UP_AT_ONCE, self.buffer_records))
        state.fates.append(WAITING)
        state.records.append(record)
        buffer.records.append(record)
        if len(buffer.records) == self.buffer_records and stream.policy < FINALIZE:
            super().flush(ring)

    @staticmethod
    def _give_up(state: RingState, buffer: Buffer, count: int) -> None:
        """Overwrite the oldest records of a buffer."""
        first = buffer.first_ordinal
        state.fates[first : first + count] = [OVERWRITTEN] * count
        stamps = [one.time for one in buffer.records[:count] if one.kind in {SIMPLE, BEGIN}]
        buffer.ticks = max([buffer.ticks, *stamps])
        del buffer.records[:count]
        buffer.first_ordinal += count
        state.overwritten += count

    def open_combine(self, ring: Ring, event: int, payload: bytes) -> None:
        """Write the BEGIN of a combine event; it stays open, even if its stream stops."""
        self.opened.append(self.begin(ring, USER, event, payload))

    def continue_combine(self, place: int) -> None:
        """Write the next record of an open combine event."""
        combine = self.opened[place % len(self.opened)]
        self.go_on(combine)
        if combine.done:
            self.opened.remove(combine)

    # Reading on the target, sending.

    def take(self, ring: Ring) -> None:
        """Take the oldest buffer for a reader on the target, or return the taken one."""
        state = self.rings[ring]
        buffer = self.taken.pop(ring, None)
        if buffer is not None:
            count = len(buffer.records)
            end = buffer.first_ordinal + count
            self._give_up(state, buffer, count)
            state.settled = (end, buffer.dropped, state.sent)
        elif self.streams_now[ring[0]].held:
            if not state.full:
                self.flush(ring)
            if state.full:
                self.taken[ring] = state.full.popleft()

    def send_buffer(self, ring: Ring) -> SentFrame | None:
        """Send the oldest full buffer in one or two frames; None if empty, taken or held."""
        state = self.rings[ring]
        if self.streams_now[ring[0]].held or ring in self.taken or not state.full:
            return None
        if len(state.full[0].records) < 2 or not self._may_split(state.full[0]):
            return super().send_buffer(ring)
        buffer = state.full.popleft()
        first, count = buffer.first_ordinal, len(buffer.records)
        middle = 1 + len(self.frames) % (count - 1)
        for begin, end in ((0, middle), (middle, count)):
            fields = PackedFields(
                first + begin, buffer.dropped, state.sent, buffer.ticks, buffer.sequence, 0
            )
            rows = [record.row for record in buffer.records[begin:end]]
            body = packed_body(fields, rows, random.Random(len(self.frames)))
            sent = self._send(PACKED, ring, body, (first + begin, first + end))
            state.fates[first + begin : first + end] = [sent.number] * (end - begin)
            state.sent += end - begin
        state.settled = (first + count, buffer.dropped, state.sent)
        return sent

    def _may_split(self, buffer: Buffer) -> bool:
        return (
            self.packed
            and self.now - buffer.ticks < HALF_PERIOD
            and all(record.kind == SIMPLE for record in buffer.records)
        )

    def finish(self) -> None:
        """Stop all streams, return taken buffers, then finish."""
        for stream in range(self.streams):
            self.stop(stream)
        for ring in list(self.taken):
            self.take(ring)
        for stream_now in self.streams_now:
            stream_now.held = False
        super().finish()


def live_busily(rng: random.Random, steps: int = MOST_STEPS, *, nested: bool = False) -> BusyTarget:
    """Return a target after a short random history.

    Args:
        rng: source of all random decisions.
        steps: highest number of actions.
        nested: combine events stay open over several actions, and other events occur meanwhile.
    """
    target = BusyTarget(
        cpus=rng.choice([1, 1, 2]),
        streams=rng.choice([1, 1, 2, 8]),
        buffers=rng.randrange(2, 5),
        buffer_records=rng.choice([2, 5, 16]),
        policy=rng.choice(POLICIES),
        byte_order=rng.choice("<<<>"),
        boot_id=rng.choice([0, 77]),
        now=rng.choice([0, 2**32 - 50]),
        packed=rng.random() < 0.5,
    )
    target.nested = nested
    target.hello()
    for _ in range(min(rng.randrange(10, 90), steps)):
        act(target, rng)
    if rng.random() < 0.7:
        target.finish()
        if rng.random() < 0.2:  # record again after the end
            go_on(target, rng)
    return target


def go_on(target: BusyTarget, rng: random.Random) -> None:
    """Record after a final STATUS."""
    ring = rng.choice(list(target.rings))
    target.start(ring[0])
    target.set_policy(ring[0], rng.choice(POLICIES))
    for _ in range(rng.randrange(12)):
        act(target, rng)
        target.status(ring)


def act(target: BusyTarget, rng: random.Random) -> None:
    """Take one random action."""
    ring = rng.choice(list(target.rings)[:4])
    action = rng.random()
    if action < 0.4:
        for _ in range(rng.choice([1, 1, 2, 7])):
            target.record(ring, rng.randrange(1, 8), rng.randrange(8), rng.randrange(2**32))
    elif action < 0.5:
        combine(target, rng, ring)
    elif action < 0.6:
        target.advance(rng.choice([1, 3, 1000, 2**31]))
    elif action < 0.7:
        change(target, rng, ring[0])
    elif action < 0.74:
        target.finalize(ring)
    elif action < 0.78:
        target.take(ring)
    elif action < 0.99:
        send(target, rng, ring)
    else:
        target.reset(boot_id=target.boot_id and target.boot_id + 1, now=rng.randrange(9))
        target.hello()


def combine(target: BusyTarget, rng: random.Random, ring: Ring) -> None:
    """Record a combine event, or a part of one; several may be open, even of the same type."""
    payload = rng.randbytes(rng.randrange(40))
    action = rng.random() if target.nested else 0.0
    if action < 0.4:
        target.combine(ring, USER, 20, payload)
    elif action < 0.7 or not target.opened:
        target.open_combine(ring, rng.choice([20, 21]), payload)
    else:
        for _ in range(rng.randrange(1, 6)):
            if target.opened:
                target.continue_combine(rng.randrange(len(target.opened)))


def change(target: BusyTarget, rng: random.Random, stream: int) -> None:
    """Start, stop, hold or attach a stream, or change its policy or shed classes."""
    match rng.randrange(6):
        case 0:
            target.stop(stream)
        case 1:
            target.start(stream)
        case 2:  # send all buffers first, because the policy changes only with empty rings
            target.stop(stream)
            for ring in [one for one in target.rings if one[0] == stream]:
                target.flush(ring)
                while target.send_buffer(ring) is not None:
                    pass
            target.set_policy(stream, rng.choice(POLICIES))
            target.start(stream)
        case 3:  # never shed CONTROL: its event TIME reports counter wraps
            target.streams_now[stream].shed_classes = frozenset(rng.sample(range(2, 8), 3))
        case _:
            target.streams_now[stream].held = rng.random() < 0.4


def send(target: BusyTarget, rng: random.Random, ring: Ring) -> None:
    """Flush, or send a frame."""
    action = rng.random()
    if action < 0.3:
        target.flush(ring)
    elif action < 0.8:
        target.send_buffer(ring)
    elif action < 0.92:
        target.status(ring)
    else:
        target.hello()
