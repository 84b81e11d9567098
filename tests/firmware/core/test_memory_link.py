"""A trace in memory that the host reads: the recorder and the host's link on the same memory.

memory_link_driver.c takes each step at the test's request, so that events, steps of the drain and
reads of the host come in any order with known results.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.core_driver import FIRMWARE, PLAIN_PORT, build_driver
from tests.support.examples import examples
from tests.support.link_reader import LinkReader
from tests.support.memory_driver import DROP, FILE_BYTES, OVERWRITE, Driver
from tickertape.decode.commands import Request
from tickertape.decode.frames import FrameDecoder, encode_frame
from tickertape.decode.memory_frames import find_head
from tickertape.link import open_link
from tickertape.protocol.wire import Command, FrameType

if TYPE_CHECKING:
    from pathlib import Path

UP_READ = 20
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("e"), st.integers(1, 400)),
        st.tuples(st.just("d"), st.integers(1, 12)),
        st.just(("read", 0)),
    ),
    max_size=40,
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("memory_link")
    sources = [PLAIN_PORT, FIRMWARE / "links/memory_link.c"]
    return build_driver(folder, "memory_link_driver.c", "TT_CONFIG_MEMORY_LINK=1", sources=sources)


def read_all(reader: LinkReader, data: bytes) -> None:
    """Pass bytes, which have to be whole frames, to the reader."""
    assert not data or data.endswith(b"\0")
    reader.read(data)


@pytest.mark.parametrize("policy", [OVERWRITE, DROP])
@given(steps=STEPS)
@settings(max_examples=examples(30), deadline=None)
def test_every_record_is_delivered_or_counted(
    program: Path,
    tmp_path_factory: pytest.TempPathFactory,
    policy: int,
    steps: list[tuple[str, int]],
) -> None:
    memory = tmp_path_factory.mktemp("memory") / "memory"
    reader = LinkReader()
    with (
        Driver(program, memory, policy) as driver,
        closing(open_link(f"memory:{memory}")) as link,
    ):
        for letter, count in steps:
            if letter == "read":
                read_all(reader, link.read(1 << 20, 0))
            else:
                driver.step(letter, count)
        offered = driver.step("x")
        while not reader.final:
            driver.step("d", 3)
            read_all(reader, link.read(1 << 20, 0))
    balance = reader.balance()
    assert balance["damaged"] == 0
    assert balance["offered"] == offered
    assert offered == balance["delivered"] + balance["dropped"] + balance["overwritten"]
    assert offered == sum(count for letter, count in steps if letter == "e")
    assert all(record.data[0] == record.ordinal for record in reader.records)
    assert reader.raw_buffers > 0 or not reader.records
    assert not reader.packed


def test_a_slow_reader_loses_records_and_the_receipts_count_them(
    program: Path, tmp_path: Path
) -> None:
    reader = LinkReader()
    with (
        Driver(program, tmp_path / "memory") as driver,
        closing(open_link(f"memory:{tmp_path / 'memory'}")) as link,
    ):
        for _ in range(20):
            driver.step("e", 500)
            driver.step("d", 50)
        assert driver.step("x") == 10_000
        while not reader.final:
            driver.step("d", 50)
            read_all(reader, link.read(1 << 20, 0))
    balance = reader.balance()
    assert balance["dropped"] > 5_000
    assert balance["offered"] == balance["delivered"] + balance["dropped"]


def test_a_late_counter_of_the_host_does_not_outlive_a_reset(program: Path, tmp_path: Path) -> None:
    """The host stores its read counter after the target was reset and has written other data."""
    memory = tmp_path / "memory"
    with Driver(program, memory) as driver, closing(open_link(f"memory:{memory}")) as link:
        driver.step("e", 500)
        driver.step("d", 8)
        assert link.read(1 << 20, 0)
        head = find_head(memory.read_bytes())
        assert head is not None
        late = memory.read_bytes()[head + UP_READ : head + UP_READ + 4]
        assert late != bytes(4)
        driver.step("r")
        driver.step("e", 300)
        driver.step("d", 6)
        with memory.open("r+b") as file:
            file.seek(head + UP_READ)
            file.write(late)
        link.read(1 << 20, 0)
        driver.step("d", 20)
        driver.step("x")
        data = b""
        for _ in range(10):
            driver.step("d", 20)
            data += link.read(1 << 20, 0)
    decoder = FrameDecoder()
    decoder.receive(b"\0" + data)
    frames = list(decoder.frames())
    assert decoder.counters.bad_frames == 0
    reader = LinkReader(frames=frames[0].sequence)
    reader.read(data)
    balance = reader.balance()
    assert reader.final
    assert balance["damaged"] == 0
    assert balance["offered"] == balance["delivered"]


def test_commands_go_the_other_way(program: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    decoder = FrameDecoder()
    decoder.receive(b"\0")
    with Driver(program, memory) as driver, closing(open_link(f"memory:{memory}")) as link:
        for number in range(1, 40):  # more bytes than the command ring can hold
            body = Request(Command.FLUSH).body(number)
            link.write(encode_frame(FrameType.COMMAND, number - 1, body))
            driver.step("d", 20)
            decoder.receive(link.read(1 << 20, 0))
    replies = [frame for frame in decoder.frames() if frame.type == FrameType.REPLY]
    assert [int.from_bytes(frame.body[:4], "little") for frame in replies] == [*range(1, 40)]


@pytest.mark.parametrize("damage", ["mark", "length", "counter"])
def test_damaged_memory_brings_no_frames(program: Path, tmp_path: Path, damage: str) -> None:
    memory = tmp_path / "memory"
    with Driver(program, memory) as driver, closing(open_link(f"memory:{memory}")) as link:
        driver.step("e", 300)
        driver.step("d", 8)
        data = bytearray(memory.read_bytes())
        head = find_head(bytes(data))
        assert head is not None
        first = FILE_BYTES - 40 - 256 - 8192
        place = {"mark": head, "length": first, "counter": head + UP_READ}[damage]
        data[place] ^= 4
        with memory.open("r+b") as file:
            file.write(data)
        assert link.read(1 << 20, 0) == b""
