"""A trace over RTT: the recorder and the host of a probe, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.core_driver import FIRMWARE, PLAIN_PORT, build_driver
from tests.support.examples import examples
from tests.support.link_reader import LinkReader
from tests.support.memory_driver import DROP, FILE_BYTES, OVERWRITE, Driver
from tests.support.rtt import MARK, FileAccess, RttHost
from tickertape.decode.commands import Request
from tickertape.decode.frames import FrameDecoder, encode_frame
from tickertape.protocol.wire import Command, FrameType

if TYPE_CHECKING:
    from pathlib import Path

TRACE = 1
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("e"), st.integers(1, 400)),
        st.tuples(st.just("d"), st.integers(1, 12)),
        st.tuples(st.just("read"), st.integers(1, 900)),
    ),
    max_size=40,
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rtt_link")
    sources = [PLAIN_PORT, FIRMWARE / "links/rtt_link.c"]
    return build_driver(folder, "memory_link_driver.c", sources=sources)


def host_of(driver: Driver) -> RttHost:
    memory = FileAccess(driver.memory, driver.begin)
    return RttHost(memory, driver.begin, FILE_BYTES, pointer_bytes=8)


@pytest.mark.parametrize("policy", [OVERWRITE, DROP])
@given(steps=STEPS)
@settings(max_examples=examples(20), deadline=None)
def test_every_record_is_delivered_or_counted(
    program: Path,
    tmp_path_factory: pytest.TempPathFactory,
    policy: int,
    steps: list[tuple[str, int]],
) -> None:
    data, reader = b"", LinkReader()
    with Driver(program, tmp_path_factory.mktemp("memory") / "memory", policy) as driver:
        driver.step("d", 1)
        host = host_of(driver)
        for letter, count in steps:
            if letter == "read":
                data += host.up(TRACE, count)
            else:
                driver.step(letter, count)
        offered = driver.step("x")
        while not reader.final:
            driver.step("d", 3)
            data += host.up(TRACE)
            if data.endswith(b"\0"):  # otherwise in the middle of a frame
                reader.read(data)
                data = b""
    balance = reader.balance()
    assert balance["damaged"] == 0
    assert balance["offered"] == offered == sum(count for letter, count in steps if letter == "e")
    assert offered == balance["delivered"] + balance["dropped"] + balance["overwritten"]
    assert all(record.data[0] == record.ordinal for record in reader.records)


def test_a_host_that_does_not_read_loses_nothing_unseen(program: Path, tmp_path: Path) -> None:
    data, reader = b"", LinkReader()
    with Driver(program, tmp_path / "memory") as driver:
        for _ in range(20):
            driver.step("e", 500)
            driver.step("d", 50)
        assert driver.step("x") == 10_000
        host = host_of(driver)
        while not reader.final:
            driver.step("d", 50)
            data += host.up(TRACE)
            if data.endswith(b"\0"):
                reader.read(data)
                data = b""
    balance = reader.balance()
    assert balance["dropped"] > 5_000
    assert balance["offered"] == balance["delivered"] + balance["dropped"]


def test_commands_go_down(program: Path, tmp_path: Path) -> None:
    decoder = FrameDecoder()
    decoder.receive(b"\0")
    with Driver(program, tmp_path / "memory") as driver:
        host = host_of(driver)
        for number in range(1, 40):  # more bytes than the ring can hold
            command = encode_frame(
                FrameType.COMMAND, number - 1, Request(Command.FLUSH).body(number)
            )
            assert host.down(TRACE, command) == len(command)
            driver.step("d", 20)
            decoder.receive(host.up(TRACE))
    replies = [frame for frame in decoder.frames() if frame.type == FrameType.REPLY]
    assert decoder.counters.bad_frames == 0
    assert [int.from_bytes(frame.body[:4], "little") for frame in replies] == [*range(1, 40)]


@pytest.mark.parametrize(("which", "offset"), [("up", 20), ("up", 24), ("down", 20), ("down", 24)])
def test_an_offset_outside_of_a_ring_leaves_it_alone(
    program: Path, tmp_path: Path, which: str, offset: int
) -> None:
    """With damaged memory, the sanitizers report no access, and the drain continues."""
    with Driver(program, tmp_path / "memory") as driver:
        host = host_of(driver)
        memory = FileAccess(driver.memory, driver.begin)
        ring = host.block + 24 + 32 * ({"up": 0, "down": 2}[which] + TRACE)
        driver.step("e", 200)
        driver.step("d", 2)
        memory.write(ring + offset, (1 << 31).to_bytes(4, "little"))
        before = memory.read(ring, 32)
        driver.step("d", 20)
        assert which == "down" or memory.read(ring, 32) == before


def test_a_reset_makes_the_block_anew(program: Path, tmp_path: Path) -> None:
    with Driver(program, tmp_path / "memory") as driver:
        driver.step("e", 300)
        driver.step("d", 3)
        assert host_of(driver).up(TRACE)
        driver.step("r")
        driver.step("e", 5)
        assert driver.step("x") == 5
        reader = LinkReader()
        driver.step("d", 50)
        reader.read(host_of(driver).up(TRACE))
    assert reader.final
    assert reader.balance()["offered"] == reader.balance()["delivered"] == 5


def test_no_constant_looks_like_a_block(program: Path) -> None:
    assert MARK[:10] not in program.read_bytes()
