from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tickertape.errors import LinkLost
from tickertape.link import Damage, Link, MemoryLink

DATA = bytes(range(100))


def drain(link: Link) -> bytes:
    data = b""
    while not link.at_end:
        data += link.read(17, 0.0)
    return data


@pytest.mark.parametrize(
    ("accident", "arrives"),
    [
        (Damage("drop", 10, 5), DATA[:10] + DATA[15:]),
        (Damage("double", 10, 5), DATA[:15] + DATA[10:]),
        (Damage("flip", 0, 2, 0xFF), b"\xff\xfe" + DATA[2:]),
        (Damage("drop", 95, 50), DATA[:95]),
        (Damage("flip", 500), DATA),
    ],
)
@pytest.mark.parametrize("piece_bytes", [1, 7, 100])
def test_damage_does_not_depend_on_the_pieces(
    accident: Damage, arrives: bytes, piece_bytes: int
) -> None:
    pieces = [DATA[at : at + piece_bytes] for at in range(0, len(DATA), piece_bytes)]
    assert drain(MemoryLink(pieces, damage=[accident])) == arrives


ACCIDENTS = st.lists(
    st.builds(
        Damage,
        st.sampled_from(["drop", "flip"]),
        st.integers(0, 100),
        st.integers(1, 20),
        st.integers(1, 255),
    ),
    max_size=5,
)


@given(ACCIDENTS, st.integers(1, 100))
def test_many_accidents_do_not_depend_on_the_pieces(
    accidents: list[Damage], piece_bytes: int
) -> None:
    pieces = [DATA[at : at + piece_bytes] for at in range(0, len(DATA), piece_bytes)]
    whole = drain(MemoryLink([DATA], damage=accidents))
    assert drain(MemoryLink(pieces, damage=accidents)) == whole


def test_it_ends_when_it_is_told() -> None:
    link = MemoryLink([b"ab"], ends=False)
    steps = [(link.read(10, 0.0), link.at_end)]
    link.feed(b"c")
    link.end()
    steps += [(b"", link.at_end), (link.read(10, 0.0), link.at_end), (link.read(10, 0.0), True)]
    assert steps == [(b"ab", False), (b"", False), (b"c", True), (b"", True)]


def test_it_keeps_what_is_written() -> None:
    link = MemoryLink()
    link.write(b"com")
    link.write(b"mand")
    assert link.written == b"command"


def test_a_lost_link_fails_once_everything_is_read() -> None:
    link = MemoryLink([b"last"], ends=False)
    link.lose()
    assert link.read(10, 0.0) == b"last"
    with pytest.raises(LinkLost):
        link.read(10, 0.0)
    with pytest.raises(LinkLost):
        link.write(b"x")


def test_closing_ends_it() -> None:
    link = MemoryLink([b"rest"], live=False)
    assert (link.live, link.byte_rate, link.name) == (False, 0.0, "memory")
    link.close()
    link.close()
    assert link.at_end
    assert link.read(10, 0.0) == b""
