"""The Python view of POSIX Trace: the assertions of the C suite for each function hold, too."""

from __future__ import annotations

import errno
import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.posix.sides import make_library
from tickertape import posix_trace
from tickertape.errors import TraceError
from tickertape.posix_trace import (
    SYSTEM_EVENTS,
    Attributes,
    Event,
    FilterChange,
    FullPolicy,
    Inheritance,
    Stream,
    SystemEvent,
    Truncation,
)
from tickertape.posix_trace import library as posix_library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="module", autouse=True)
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        out = make_library(tmp_path_factory.mktemp("library"))
        patch.setenv(posix_library.ENVIRONMENT, str(out / "libposixtrace.so"))
        patch.delenv("TICKERTAPE_BROKER", raising=False)
        patch.setenv("XDG_RUNTIME_DIR", str(out))  # a folder without a broker
        yield


@pytest.fixture
def stream() -> Iterator[Stream]:
    with posix_trace.create() as made:
        made.set_filter(SYSTEM_EVENTS)
        made.start()
        yield made


@pytest.fixture
def event() -> int:
    return posix_trace.event_type("of python")


def read_all(stream: Stream) -> list[Event]:
    return list(iter(lambda: stream.get_next(0), None))


@pytest.mark.parametrize("data", [b"", b"a", b"a\0b", bytes(range(256))], ids=len)
def test_data_come_back(stream: Stream, event: int, data: bytes) -> None:
    begin_ns = time.time_ns()
    posix_trace.trace(event, data)
    found = stream.get_next(0)
    assert found is not None
    assert (found.type, found.data, found.truncation) == (event, data, Truncation.NOT_TRUNCATED)
    assert found.pid == os.getpid()
    assert found.thread == threading.get_ident()
    assert begin_ns - 1000 <= found.timestamp_ns <= time.time_ns()
    assert stream.get_next(0) is None


def test_longer_data_are_cut(event: int) -> None:
    with posix_trace.create(Attributes(max_data_size=4)) as stream:
        stream.set_filter(SYSTEM_EVENTS)
        stream.start()
        posix_trace.trace(event, b"12345")
        found = stream.get_next(0)
        assert found is not None
        assert (found.data, found.truncation) == (b"1234", Truncation.TRUNCATED_RECORD)


def test_states() -> None:
    with posix_trace.create(Attributes(name="states")) as stream:
        assert not stream.status().running
        stream.start()
        stream.start()
        assert stream.status().running
        stream.stop()
        assert not stream.status().running
        kinds = [found.type for found in read_all(stream)]
        assert kinds == [SystemEvent.START, SystemEvent.STOP]
        stream.start()
        stream.clear()
        assert read_all(stream) == []
        assert stream.attributes.name == "states"


def test_filters(stream: Stream, event: int) -> None:
    stream.set_filter({event}, FilterChange.ADD)
    posix_trace.trace(event)
    assert read_all(stream) == []
    assert stream.filter == SYSTEM_EVENTS | {event}
    stream.set_filter({event}, FilterChange.SUB)
    posix_trace.trace(event)
    assert [found.type for found in read_all(stream)] == [event]


def test_names(stream: Stream, event: int) -> None:
    assert posix_trace.event_type("of python") == event
    assert stream.name_of(event) == "of python"
    types = stream.event_types()
    assert types[event] == "of python"
    assert {int(number) for number in SYSTEM_EVENTS} <= set(types)
    assert types[SystemEvent.MUTEX_LOCK] == "posix_trace_mutex_lock"


@pytest.mark.parametrize("policy", [FullPolicy.LOOP, FullPolicy.UNTIL_FULL])
def test_full_streams(policy: FullPolicy, event: int) -> None:
    attributes = Attributes(stream_full_policy=policy, stream_min_size=8192)
    with posix_trace.create(attributes) as stream:
        stream.set_filter(SYSTEM_EVENTS - {SystemEvent.STOP})
        stream.start()
        for number in range(2000):
            posix_trace.trace(event, number.to_bytes(4, "little"))
        status = stream.status()
        assert status.full
        assert status.overrun
        assert status.running == (policy == FullPolicy.LOOP)
        assert not stream.status().overrun
        numbers = [int.from_bytes(e.data, "little") for e in read_all(stream) if e.type == event]
        assert numbers == list(range(numbers[0], numbers[-1] + 1))
        assert (numbers[0] == 0, numbers[-1] == 1999) == (
            (False, True) if policy == FullPolicy.LOOP else (True, False)
        )


def test_waiting(stream: Stream, event: int) -> None:
    begin_s = time.monotonic()
    assert stream.get_next(0.05) is None
    assert time.monotonic() - begin_s >= 0.05
    timer = threading.Timer(0.05, posix_trace.trace, (event, b"late"))
    timer.start()
    found = stream.get_next(60)
    assert found is not None
    assert found.data == b"late"
    timer.join()
    ender = threading.Timer(0.05, stream.shutdown)
    ender.start()
    with pytest.raises(TraceError) as caught:
        stream.get_next()
    assert caught.value.number == errno.EINVAL
    ender.join()


def test_a_child_is_traced(event: int) -> None:
    with posix_trace.create(Attributes(inheritance=Inheritance.INHERITED)) as stream:
        stream.set_filter(SYSTEM_EVENTS)
        stream.start()
        child = os.fork()
        if child == 0:
            posix_trace.trace(event, b"child")
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert [(found.pid, found.data) for found in read_all(stream)] == [(child, b"child")]


def test_logs(tmp_path: Path, event: int) -> None:
    attributes = Attributes(name="to a log", log_full_policy=FullPolicy.APPEND)
    with (tmp_path / "log.tape").open("w+b") as file:
        with posix_trace.create(attributes, log=file.fileno()) as stream:
            assert stream.attributes.stream_full_policy == FullPolicy.FLUSH
            stream.set_filter(SYSTEM_EVENTS)
            stream.start()
            for number in range(100):
                posix_trace.trace(event, bytes([number]))
            stream.flush()
        with posix_trace.open_log(file.fileno()) as log:
            assert log.attributes.name == "to a log"
            assert [found.data[0] for found in log] == list(range(100))
            assert list(log) == []
            log.rewind()
            assert len(list(log)) == 100
            assert log.name_of(event) == "of python"
            assert not log.status().running


def ended() -> Stream:
    made = posix_trace.create()
    made.shutdown()
    return made


def open_log_of(descriptor: int) -> None:
    posix_trace.open_log(descriptor)


# Name, call, and the error number that it raises.
REFUSALS: list[tuple[str, Callable[[], object], int]] = [
    ("start", lambda: ended().start(), errno.EINVAL),
    ("stop", lambda: ended().stop(), errno.EINVAL),
    ("clear", lambda: ended().clear(), errno.EINVAL),
    ("flush", lambda: ended().flush(), errno.EINVAL),
    ("shutdown", lambda: ended().shutdown(), errno.EINVAL),
    ("status", lambda: ended().status(), errno.EINVAL),
    ("attributes", lambda: ended().attributes, errno.EINVAL),
    ("filter", lambda: ended().filter, errno.EINVAL),
    ("set_filter", lambda: ended().set_filter(()), errno.EINVAL),
    ("get_next", lambda: ended().get_next(), errno.EINVAL),
    ("get_next at once", lambda: ended().get_next(0), errno.EINVAL),
    ("get_next in time", lambda: ended().get_next(1), errno.EINVAL),
    ("name_of", lambda: ended().name_of(1), errno.EINVAL),
    ("event_types", lambda: ended().event_types(), errno.EINVAL),
    ("event_type", lambda: posix_trace.event_type("n" * 32), errno.ENAMETOOLONG),
    ("create for no process", lambda: posix_trace.create(pid=0x3FFFFFF), errno.ESRCH),
    ("create for a stranger", lambda: posix_trace.create(pid=1), errno.EPERM),
    (
        "create too large",
        lambda: posix_trace.create(Attributes(stream_min_size=1 << 40)),
        errno.ENOMEM,
    ),
    (
        "create without log",
        lambda: posix_trace.create(Attributes(stream_full_policy=FullPolicy.FLUSH)),
        errno.EINVAL,
    ),
    (
        "create with a policy of logs",
        lambda: posix_trace.create(Attributes(stream_full_policy=FullPolicy.APPEND)),
        errno.EINVAL,
    ),
    ("create with no file", lambda: posix_trace.create(log=999), errno.EBADF),
    ("open_log", lambda: open_log_of(999), errno.EINVAL),
]


@pytest.mark.parametrize(
    ("call", "number"), [row[1:] for row in REFUSALS], ids=[r[0] for r in REFUSALS]
)
def test_refusals(call: Callable[[], object], number: int) -> None:
    with pytest.raises(TraceError) as caught:
        call()
    assert caught.value.number == number
    assert errno.errorcode[number] in str(caught.value)


def test_eight_streams_and_no_more() -> None:
    made = [posix_trace.create() for _ in range(8)]
    with pytest.raises(TraceError) as caught:
        posix_trace.create()
    assert caught.value.number == errno.EAGAIN
    for stream in made:
        stream.shutdown()


def test_a_library_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(posix_library.ENVIRONMENT, "/nowhere/libposixtrace.so")
    with pytest.raises(TraceError, match=r"/nowhere.*make posix"):
        posix_library.library.__wrapped__()
