"""Check the balance for one history: a target's life, a line with faults, and a collector.

A *life* is a `SimulatedTarget`, or an object with the same frames and fates (`CoreLife`). The
oracle knows the fate of each record from the life; the collector only receives bytes.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from cobs import cobs

from tests.support import reference
from tests.support.rings import plain_events
from tests.support.target import Oracle
from tickertape.analysis.balance import Balance, balance_of
from tickertape.collector import Collector
from tickertape.link import MemoryLink
from tickertape.tape import TapeReader, TapeWriter, iter_events

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence
    from pathlib import Path

    from tests.support.target import Expected, Life, SentFrame, Terms
    from tests.support.wire_bytes import RawRecord
    from tickertape.analysis.balance import RingBalance
    from tickertape.collector import CaptureResult

WINDOW = 32
HELLO = 1


def check_history(life: Life, rng: random.Random, path: Path) -> int:
    """Send a life over a line with faults, capture it, and compare the tape with the oracle.

    Returns:
        Number of delivered records.
    """
    line = damaged(life, rng)
    size = rng.choice([len(line) or 1, 700])
    pieces = [line[at : at + size] for at in range(0, len(line), size)]
    with TapeWriter(path) as writer:
        period_s = 0.0 if rng.random() < 0.2 else 1.0
        result = Collector(MemoryLink(pieces), writer, flush_period_s=period_s).run()
    arrived = whole_frames(life, line)
    apart = tags_tell_boots_apart(arrived)
    used = used_frames(life, arrived, apart=apart)
    boots = {life.frames[number].boot for number in used}
    if len(boots) > 1 and not apart:
        delivered = check_what_a_reset_leaves(life, path, result)
    else:
        delivered = check_exactly(life, used, path, result)
        if rng.random() < 0.2 and len(boots) == 1:
            check_events(life, Oracle(life, used), path)
    if rng.random() < 0.1:
        check_a_killed_collector(life, path, rng)
    return delivered


def damaged(life: Life, rng: random.Random) -> bytes:
    """Return the bytes of the line; frames and bytes are lost, doubled, flipped or moved."""
    kind = rng.random()
    rate = 0.0 if kind < 0.3 else rng.choice([0.02, 0.1, 0.5])
    frames: list[bytes] = []
    for sent in life.frames:
        fate = rng.random() / rate if rate else 1.0
        # Only HELLO contains the byte order: without the first, big-endian records are undecodable.
        if fate >= 1.0 or (sent.number == 0 and life.byte_order == ">"):
            frames.append(sent.data)
        elif fate < 0.3:
            frames += [sent.data] * 2
        elif fate < 0.6:
            broken = bytearray(sent.data)
            broken[rng.randrange(len(broken))] ^= rng.randrange(1, 256)
            frames.append(bytes(broken))
        elif fate < 0.7 and frames:
            frames.insert(-1, sent.data)
        elif fate < 0.8:
            frames.append(sent.data[: rng.randrange(len(sent.data))])
    line = b"".join(frames)
    if kind > 0.8:
        line = _hurt(line, rng)
    return line


def _hurt(line: bytes, rng: random.Random) -> bytes:
    """Damage up to three random runs of bytes, or cut the end."""
    for _ in range(rng.randrange(4)):
        begin = rng.randrange(len(line) + 1)
        end = min(len(line), begin + rng.randrange(1, 60))
        run = line[begin:end]
        match rng.randrange(4):
            case 0:
                run = b""
            case 1:
                run *= 2
            case 2:
                mask = rng.randrange(1, 256)
                run = bytes(byte ^ mask for byte in run)
            case _:
                return line[:begin]
        line = line[:begin] + run + line[end:]
    return line


def whole_frames(life: Life, line: bytes) -> list[SentFrame]:
    """Return the frames that arrived undamaged, in order of arrival."""
    by_crc = {sent.data[:-1]: sent for sent in life.frames if sent.whole}
    *pieces, _ = line.split(b"\0")
    found = (by_crc.get(piece) or _same_content(life, piece) for piece in pieces)
    return [sent for sent in found if sent is not None]


def tags_tell_boots_apart(arrived: Sequence[SentFrame]) -> bool:
    """Return whether the boot tags identify every boot.

    True if all boots have different, non-zero tags and no boot reappears after two later ones
    have begun.
    """
    met: list[int] = []
    tags: list[int] = []
    for sent in arrived:
        if not met or sent.boot > met[-1]:
            met.append(sent.boot)
            tags.append(cobs.decode(sent.data[:-1])[3])
        elif sent.boot not in met[-2:]:
            return False
    return 0 not in tags and len(set(tags)) == len(tags)


def used_frames(life: Life, arrived: Sequence[SentFrame], *, apart: bool) -> set[int]:
    """Return the numbers of the frames that a receiver must use: neither repeated nor late.

    Args:
        life: the history.
        arrived: undamaged frames, in order of arrival.
        apart: boot tags identify boots; then a frame that arrives after one of a later boot is
            late, too.
    """
    used: set[int] = set()
    newest = -1
    for sent in arrived:
        if sent.number in used:
            continue
        if sent.number < newest and (apart or life.frames[newest].boot == sent.boot):
            continue  # late
        newest = max(newest, sent.number)
        used.add(sent.number)
    return used


def _same_content(life: Life, piece: bytes) -> SentFrame | None:
    """Return the sent frame with the same content; a flipped byte may decode to the same frame."""
    try:
        plain = cobs.decode(piece)
    except cobs.DecodeError:
        return None
    if len(plain) < 12 or zlib.crc32(plain[:-4]) != int.from_bytes(plain[-4:], "little"):
        return None
    for sent in life.frames:
        if sent.whole and cobs.decode(sent.data[:-1]) == plain:
            return sent
    return None


def check_exactly(life: Life, used: set[int], path: Path, result: CaptureResult) -> int:
    """Check that every term and record equals the oracle's: for one boot, or boots with tags."""
    oracle = Oracle(life, used)
    with TapeReader(path) as reader:
        assert reader.closed
        assert reader.issues == [] or reader.hello is None
        balance = balance_of(reader)
        assert balance.contradictions == ()
        assert balance.unknown_losses == 0
        found_rings = [(ring.ring.stream, ring.ring.cpu) for ring in balance.rings]
        expected_rings = [ring for _, ring in oracle.rings()]
        assert found_rings == expected_rings, (found_rings, expected_rings)
        for found, (boot, ring) in zip(balance.rings, oracle.rings(), strict=True):
            expected = oracle.balance(boot, ring)
            assert terms_of(found.balance) == expected.terms, (ring, found.balance, expected.terms)
            assert (found.first_ordinal, found.end_ordinal) == (expected.first, expected.end)
            check_records(reader, found, oracle.delivered(boot, ring), life.byte_order)
            check_classes(found, expected)
        assert balance.total == result.progress.balance
        assert balance.total.holds
        assert not result.final or balance.final or len(reader.epochs) > 1
        return balance.total.delivered


def check_records(
    reader: TapeReader,
    found: RingBalance,
    delivered: Sequence[tuple[int, RawRecord]],
    byte_order: str,
) -> None:
    """Check that the tape contains the delivered records in order, with their ordinals."""
    raw = b""
    numbers: list[int] = []
    for chunk in reader.records_chunks(found.ring):
        raw += chunk.records.tobytes()
        for buffer in chunk.buffers:
            first = int(buffer["first_ordinal"])
            numbers += range(first, first + int(buffer["count"]))
    assert numbers == [ordinal for ordinal, _ in delivered]
    # Without a HELLO, the byte order of a target with packed buffers is unknown.
    if reader.hello is not None or byte_order == "<":
        assert raw == b"".join(record.pack(byte_order) for _, record in delivered)


def check_events(life: Life, oracle: Oracle, path: Path) -> None:
    """Check that events and times of each ring equal those of the reference decoder."""
    with TapeReader(path) as reader:
        if reader.hello is None and life.byte_order == ">":
            return
        for boot, ring in oracle.rings():
            plain = reference.decode(oracle.delivered(boot, ring), life.byte_order)
            columns = list(iter_events(reader, stream=ring[0]))
            events = [event for event in plain_events(columns) if event.cpu == ring[1]]
            assert events == plain.events


def check_classes(found: RingBalance, expected: Expected) -> None:
    """Check the balance by class; if it covers the whole ring, it must equal the oracle's."""
    classes = found.by_class
    if classes is None:
        return
    assert expected.first <= classes.first_ordinal < classes.end_ordinal <= expected.end
    assert all(one.holds for one in classes.classes.values())
    if (classes.first_ordinal, classes.end_ordinal) == (expected.first, expected.end):
        terms = {number: terms_of(one) for number, one in classes.classes.items()}
        assert terms == expected.by_class


def terms_of(balance: Balance) -> Terms:
    """Return the terms of a balance by name."""
    names = ("offered", "delivered", "overwritten", "dropped", "damaged")
    return {name: getattr(balance, name) for name in names}


def check_what_a_reset_leaves(life: Life, path: Path, result: CaptureResult) -> int:
    """Check several boots without reliable tags: balances hold, and no record is invented."""
    with TapeReader(path) as reader:
        # Counters of classes may reveal a reset that receipts do not; the reader reports it.
        balance = balance_of(reader)
        assert all(map(_holds, balance.rings))
        assert all("the counters of class" in line for line in balance.contradictions)
        assert balance.total.holds
        assert balance.total == result.progress.balance
        assert all(ring.balance.holds for ring in balance.rings)
        check_known(life, reader)
        return balance.total.delivered


def _holds(ring: RingBalance) -> bool:
    return ring.by_class is None or all(one.holds for one in ring.by_class.classes.values())


def check_a_killed_collector(life: Life, path: Path, rng: random.Random) -> None:
    """Check that the balance of a tape cut at a random byte holds."""
    data = path.read_bytes()
    path.write_bytes(data[: rng.randrange(64, len(data) + 1)])
    with TapeReader(path) as reader:
        balance = balance_of(reader, by_class=False)
        assert balance.contradictions == ()
        assert all(ring.balance.holds for ring in balance.rings)
        check_known(life, reader)


def check_known(life: Life, reader: TapeReader) -> None:
    """Check that every record on the tape was offered to its ring."""
    if reader.hello is None and life.byte_order == ">":
        return
    known = {
        (*ring, record.pack(life.byte_order))
        for boot in life.boots
        for ring, state in boot.items()
        for record in state.records
    }
    for key in reader.rings:
        for chunk in reader.records_chunks(key):
            raw = chunk.records.tobytes()
            for at in range(0, len(raw), 16):
                assert (key.stream, key.cpu, raw[at : at + 16]) in known
