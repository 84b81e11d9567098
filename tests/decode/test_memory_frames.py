"""Frames in memory: found, refused if not contiguous, and encoded for a link."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from tickertape.decode.frames import FrameDecoder
from tickertape.decode.memory_frames import MemoryHead, find_head, frames_of, on_a_link
from tickertape.protocol.wire import MEMORY_MARK

FRAMES = st.lists(st.binary(min_size=8, max_size=400), max_size=6)


def in_memory(frames: list[bytes]) -> bytes:
    """Return the bytes that a target writes for frames, by SPEC."""
    data = b""
    for frame in frames:
        data += struct.pack("<HH", len(frame), len(frame) ^ 0xFFFF) + frame
        data += b"\xaa" * (-len(data) % 4)
    return data


@given(frames=FRAMES)
def test_frames_come_out_as_they_went_in(frames: list[bytes]) -> None:
    found = frames_of(in_memory(frames))
    assert found == frames
    decoder = FrameDecoder()
    decoder.receive(b"\0" + on_a_link(found))
    assert [frame.body for frame in decoder.frames()] == [frame[8:] for frame in frames]
    assert decoder.counters.bad_frames == 0


@given(frames=FRAMES.filter(bool), data=st.data())
def test_a_cut_anywhere_else_is_refused(frames: list[bytes], data: st.DataObject) -> None:
    whole = in_memory(frames)
    ends = {len(in_memory(frames[:count])) for count in range(len(frames) + 1)}
    cut = data.draw(st.integers(0, len(whole)).filter(lambda cut: cut not in ends))
    assert frames_of(whole[:cut]) is None


def head(up_bytes: int = 8192, inverse: int = 0xFFFF_FFFF) -> bytes:
    """Return a head with a ring of this size."""
    words = (64, up_bytes, 10, 4, 8256, 256, 0, 0)
    return struct.pack("<10I", MEMORY_MARK, MEMORY_MARK ^ inverse, *words)


@given(before=st.binary(max_size=99))
def test_the_head_is_found_and_others_are_not(before: bytes) -> None:
    wrong = head(inverse=1) + head(up_bytes=8191) + head(up_bytes=0)
    memory = before + wrong + head()
    assert find_head(memory + b"x") == len(before) + len(wrong)
    assert find_head(memory[:-1]) is None
    parsed = MemoryHead.parse(head())
    assert parsed is not None
    assert (parsed.waiting_bytes, parsed.down_bytes) == (6, 256)
