"""Removing the framing of a TPIU's formatter."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.support.tpiu import formatted
from tickertape.decode.tpiu import Unformatter, unformatted

ITEMS = st.lists(
    st.tuples(st.integers(1, 3), st.binary(min_size=1, max_size=9)), min_size=1, max_size=30
)


@given(ITEMS)
def test_the_bytes_of_each_source_come_back(runs: list[tuple[int, bytes]]) -> None:
    items = [(source, byte) for source, data in runs for byte in data]
    sent: defaultdict[int, bytes] = defaultdict(bytes)
    for source, data in runs:
        sent[source] += data
    found = unformatted(formatted(items), 0)
    for source, data in sent.items():
        assert found[source].startswith(data)
        assert not any(found[source][len(data) :])  # zeros that fill the last frame


@given(st.binary(max_size=200), st.integers(0, 16))
def test_any_bytes_are_taken(data: bytes, begin: int) -> None:
    assert sum(map(len, unformatted(data, begin).values())) <= len(data)


@given(
    st.binary(max_size=200)
    | ITEMS.map(lambda runs: formatted([(n, b) for n, d in runs for b in d])),
    st.lists(st.integers(0, 200)),
)
def test_cuts_change_nothing(data: bytes, cuts: list[int]) -> None:
    port = Unformatter()
    found: defaultdict[int, bytes] = defaultdict(bytes)
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    for begin, end in pairwise(places):
        for source, part in port.receive(data[begin:end]).items():
            found[source] += part
    assert found == unformatted(data, 0)
