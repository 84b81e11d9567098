"""Dialects of Zephyr's CTF streams, events that are missing, and damage."""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING

import pytest

from tickertape.analysis.balance import balance_of
from tickertape.analysis.summary import summary_of
from tickertape.formats.zephyr_ctf.read import import_zephyr_ctf
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.decode.events import Event
    from tickertape.formats.report import Report

TYPES = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = true; } := int8_t;
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 8; align = 8; signed = false; encoding = ASCII; } :=
ctf_bounded_string_t;
"""
CLOCK = """clock { name = zephyr; description = "cycles"; freq = 1000000000; precision = 1;
offset_s = 0; absolute = false; };
typealias integer { size = 64; align = 8; signed = false; map = clock.zephyr.value; } :=
u64clk_t;
"""
PLAIN = "stream { event.header := struct event_header; };"
PACKETS = """struct packet_header { uint32_t magic; uint32_t stream_id; };
struct packet_context { u64clk_t timestamp_begin; u64clk_t timestamp_end; uint32_t content_size;
uint32_t packet_size; uint32_t events_discarded; uint8_t cpu_id; };
trace { major = 1; minor = 8; byte_order = le; packet.header := struct packet_header; };
stream { id = 0; packet.context := struct packet_context; event.header := struct event_header; };
"""
CIRCULAR = """struct packet_context { uint64_t timestamp_begin; uint64_t timestamp_end;
uint32_t content_size; uint32_t packet_size; uint64_t packet_seq_num; };
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; }; };
stream { packet.context := struct packet_context; event.header := struct event_header; };
"""
TRACE = "trace { major = 1; minor = 8; byte_order = le; };\n"
EVENTS = {
    "thread_switched_out": (16, "T"),
    "thread_switched_in": (17, "T"),
    "thread_priority_set": (18, "Tp"),
    "thread_create": (19, "T"),
    "thread_abort": (20, "T"),
    "thread_ready": (23, "T"),
    "thread_pending": (24, "T"),
    "isr_enter": (27, ""),
    "isr_exit": (28, ""),
    "idle": (30, ""),
    "mutex_lock_blocking": (42, "w"),
    "named_event": (98, "nww"),
    "k_sleep_enter": (127, "s"),
    "k_sleep_exit": (128, "s"),
}
FIELDS = {
    "T": "uint32_t thread_id; ctf_bounded_string_t name[20];",
    "p": "int8_t prio;",
    "n": "ctf_bounded_string_t name[20];",
    "w": "uint32_t id%d;",
    "s": "uint32_t timeout;",
    "c": "uint8_t cpu_id;",
    "C": "uint32_t core_id;",
}
IDLE, IDLE_1, MAIN, WORK = 0x20000000, 0x20000080, 0x20000100, 0x20000200
NAMES = {IDLE: b"idle 00", IDLE_1: b"idle 01", MAIN: b"main", WORK: b"work"}
US = 1000


def metadata(
    stream: str = TRACE + PLAIN, header: str = "uint64_t timestamp; ", more: str = ""
) -> str:
    """Return metadata; `more` are the kinds of fields after those of a switch."""
    events = []
    for name, (number, kinds) in EVENTS.items():
        kinds += more if "switched" in name or "C" in more else ""  # noqa: PLW2901 - one more
        fields = " ".join(
            FIELDS[kind] % place if "%" in FIELDS[kind] else FIELDS[kind]
            for place, kind in enumerate(kinds)
        )
        events.append(
            f"event {{ name = {name}; id = {number}; fields := struct {{ {fields} }}; }};"
        )
    head = f"struct event_header {{ {header}uint16_t id; }};\n"
    return TYPES + CLOCK + head + stream + "\n".join(events)


class Stream:
    """Writes events with 64-bit times."""

    def __init__(self, *, times: bool = True) -> None:
        self.now, self.data, self.times = 0, b"", times

    def add(self, name: str, fields: bytes = b"", *, after: int = US) -> None:
        self.now += after
        number, _ = EVENTS[name]
        stamp = struct.pack("<Q", self.now) if self.times else b""
        self.data += stamp + struct.pack("<H", number) + fields

    def thread(self, name: str, tid: int, more: bytes = b"", *, after: int = US) -> None:
        full = name if "_" in name else f"thread_switched_{name}"
        self.add(full, struct.pack("<I20s", tid, NAMES[tid]) + more, after=after)

    def switch(self, before: int, after: int, *, ran: int = 100 * US) -> None:
        self.thread("out", before, after=ran)
        self.thread("in", after)


def imported(folder: Path, data: bytes, text: str) -> Report:
    (folder / "metadata").write_text(text)
    (folder / "channel0_0").write_bytes(data)
    return import_zephyr_ctf(folder / "channel0_0", folder / "t.tape")


def events_of(folder: Path) -> list[Event]:
    with TapeReader(folder / "t.tape") as reader:
        return [event for part in iter_events(reader) for event in part.events()]


def shares(folder: Path) -> dict[str, float]:
    """Return the share of the known time of one CPU, in percent, by task."""
    with TapeReader(folder / "t.tape") as reader:
        found = summary_of(reader)
    rows = {task.name: 100 * (task.cpu_share or 0.0) for task in found.tasks}
    return rows | {"interrupts": sum(100 * (one.cpu_share or 0.0) for one in found.interrupts)}


def unknown_losses(folder: Path) -> int:
    with TapeReader(folder / "t.tape") as reader:
        return balance_of(reader).unknown_losses


def turns(stream: Stream, count: int = 10) -> Stream:
    """Add switches between two threads: MAIN runs 200 us, WORK 100 us."""
    if not stream.data:
        stream.thread("in", MAIN)
    for _ in range(count):
        stream.switch(MAIN, WORK, ran=200 * US - US)
        stream.switch(WORK, MAIN, ran=100 * US - US)
    return stream


def test_a_stream_with_switches_in_only(tmp_path: Path) -> None:
    stream = Stream()
    for _ in range(10):
        stream.thread("in", MAIN, after=100 * US)
        stream.thread("in", WORK, after=200 * US)
    report = imported(tmp_path, stream.data, metadata())
    found = shares(tmp_path)
    assert found["main"] == pytest.approx(67, abs=3)
    assert found["work"] == pytest.approx(33, abs=3)
    assert (report.counts["contradictions"], unknown_losses(tmp_path)) == (0, 0)


def test_a_stream_with_switches_out_only(tmp_path: Path) -> None:
    stream = Stream()
    for _ in range(10):
        stream.thread("out", MAIN, after=200 * US)
        stream.thread("out", WORK, after=100 * US)
    imported(tmp_path, stream.data, metadata())
    found = shares(tmp_path)
    assert found["main"] == pytest.approx(67, abs=5)
    assert found["work"] == pytest.approx(33, abs=5)


@pytest.mark.parametrize("missing", ["out", "in"])
def test_a_missing_switch_is_counted_and_bounded(
    tickertape_inside: Command, tmp_path: Path, missing: str
) -> None:
    whole = turns(Stream(), 20).data
    number, _ = EVENTS[f"thread_switched_{missing}"]
    size = 8 + 2 + 24
    rows = [whole[at : at + size] for at in range(0, len(whole), size)]
    places = [at for at, row in enumerate(rows) if row[8:10] == struct.pack("<H", number)]
    del rows[places[12]]
    report = imported(tmp_path, b"".join(rows), metadata())
    assert report.counts["contradictions"] == 1
    assert unknown_losses(tmp_path) == 1
    found = shares(tmp_path)
    assert found["main"] == pytest.approx(66, abs=6)
    assert found["work"] == pytest.approx(33, abs=6)
    done = tickertape_inside("import", "zephyr-ctf", "channel0_0", "-o", "u.tape")
    (line,) = done.stderr.splitlines()
    assert "1 events contradict the state of their CPU (a thread is switched" in line


def test_an_interrupt_ends_at_the_next_switch(tmp_path: Path) -> None:
    stream = Stream()
    stream.thread("in", MAIN)
    for place in range(20):
        stream.add("isr_enter", after=50 * US)
        if place % 2:
            stream.add("isr_exit", after=2 * US)
        before, after = (MAIN, WORK) if place % 2 == 0 else (WORK, MAIN)
        stream.switch(before, after, ran=2 * US)
    report = imported(tmp_path, stream.data, metadata())
    found = shares(tmp_path)
    assert found["interrupts"] < 8
    assert found["work"] > 40
    assert report.words["which"] == "an interrupt has no end: 10"
    assert unknown_losses(tmp_path) == 0


def test_an_exit_without_an_entry_is_left_out(tmp_path: Path) -> None:
    stream = turns(Stream())
    stream.add("isr_exit")
    report = imported(tmp_path, stream.data, metadata())
    assert report.words["which"] == "an interrupt ends that did not begin: 1"
    assert not [event for event in events_of(tmp_path) if event.name.startswith("INT")]


@pytest.mark.parametrize("field", ["c", "C"])
def test_cpus_named_by_events(tmp_path: Path, field: str) -> None:
    stream = Stream()

    def cpu(number: int) -> bytes:
        return struct.pack("<B" if field == "c" else "<I", number)

    stream.thread("in", IDLE, cpu(0))
    stream.thread("in", IDLE_1, cpu(1), after=0)
    for _ in range(10):
        for number, task, idle in ((0, MAIN, IDLE), (1, WORK, IDLE_1)):
            stream.thread("out", idle, cpu(number), after=100 * US)
            stream.thread("in", task, cpu(number), after=0)
        for number, task, idle in ((0, MAIN, IDLE), (1, WORK, IDLE_1)):
            stream.thread("out", task, cpu(number), after=100 * US)
            stream.thread("in", idle, cpu(number), after=0)
    report = imported(tmp_path, stream.data, metadata(more=field))
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.hello is not None
        assert reader.hello.cpu_count == 2
    found = shares(tmp_path)
    assert found["main"] == pytest.approx(50, abs=3)
    assert found["work"] == pytest.approx(50, abs=3)
    assert report.counts["contradictions"] == 0


def packet(data: bytes, cpu: int, discarded: int, *, padding: int = 0) -> bytes:
    size = 37 + len(data)
    head = struct.pack("<IIQQ", 0xC1FC1FC1, 0, 0, 0)
    sizes = struct.pack("<IIIB", 8 * size, 8 * (size + padding), discarded, cpu)
    return head + sizes + data + b"\xaa" * padding


def test_packets_of_two_cpus_with_discarded_events(tmp_path: Path) -> None:
    streams = [Stream(), Stream()]
    streams[1].now = 37 * US
    pieces = []
    for part in range(4):
        for cpu, (one, first, second) in enumerate(
            zip(streams, (MAIN, WORK), (IDLE, IDLE_1), strict=True)
        ):
            one.data = b""
            one.thread("in", first)
            one.switch(first, second)
            one.thread("out", second)
            pieces.append(packet(one.data, cpu, 5 if (cpu, part) > (1, 1) else 0, padding=part))
    # Packets of one CPU are in order; between CPUs they are in any order.
    pieces[2], pieces[3] = pieces[3], pieces[2]
    text = metadata(PACKETS)
    report = imported(tmp_path, b"".join(pieces), text)
    assert report.counts["discarded"] == 5
    assert report.counts["events"] == 32
    assert unknown_losses(tmp_path) == 1
    with TapeReader(tmp_path / "t.tape") as reader:
        cpus = {ring.cpu for ring in reader.rings}
    assert cpus == {0, 1}


def test_a_damaged_packet_costs_that_packet(tmp_path: Path) -> None:
    parts = []
    stream = Stream()
    stream.thread("in", MAIN)
    for _ in range(5):
        begin = len(stream.data)
        turns(stream, 3)
        parts.append(packet(stream.data[begin:], 0, 0))
    parts[2] = parts[2][5:60] + parts[2][70:]
    report = imported(tmp_path, b"".join(parts)[:-9], metadata(PACKETS))
    assert report.counts["events"] == 4 * 12 - 1
    assert report.counts["skipped_bytes"] == len(parts[2])
    assert report.counts["cut_bytes"] == 34 - 9
    assert unknown_losses(tmp_path) == 1


def test_a_dump_of_circular_ram_is_in_order_of_its_numbers(tmp_path: Path) -> None:
    slot, stream, slots = 400, Stream(), []
    stream.thread("in", MAIN)
    for number in range(1, 8):
        begin = len(stream.data)
        turns(stream, 2)
        content = stream.data[begin:]
        head = struct.pack("<IQQ", 0xC1FC1FC1, 0, 0)
        head += struct.pack("<IIQ", 8 * (36 + len(content)), 8 * slot, number)
        slots.append((head + content).ljust(slot, b"\0"))
    empty = struct.pack("<IQQIIQ", 0xC1FC1FC1, 0, 0, 8 * 36, 8 * slot, 0).ljust(slot, b"\0")
    dump = b"".join([*slots[5:], *slots[2:5], empty])
    report = imported(tmp_path, dump, metadata(CIRCULAR))
    assert report.counts["overwritten"] == 2
    assert report.counts["events"] == 5 * 8
    times = [event.time_ticks for event in events_of(tmp_path)]
    assert times == sorted(times)


def test_unused_memory_is_no_loss(tmp_path: Path) -> None:
    stream = turns(Stream())
    report = imported(tmp_path, stream.data.ljust(8192, b"\0"), metadata())
    assert report.counts["events"] == 41
    assert report.counts["zero_bytes"] == 8192 - len(stream.data)
    assert report.counts["unknown"] == report.counts["cut_bytes"] == 0
    assert unknown_losses(tmp_path) == 0


def test_a_clock_that_falls_back_goes_on(tmp_path: Path) -> None:
    first, second = turns(Stream()), Stream()
    first.now = 42_000_000_000
    data = first.data
    first.data = b""
    turns(first)
    data += first.data
    turns(second)
    report = imported(tmp_path, data + second.data, metadata())
    assert report.counts["falls"] == 1
    times = [event.time_ticks for event in events_of(tmp_path)]
    assert times == sorted(times)
    assert report.counts["turns"] == 0


def test_events_without_times(tmp_path: Path) -> None:
    stream = turns(Stream(times=False))
    report = imported(tmp_path, stream.data, metadata(header=""))
    assert report.counts["timeless"] == 1
    assert {event.time_ticks for event in events_of(tmp_path)} == {0}


def test_a_context_of_each_event_names_the_cpu(tmp_path: Path) -> None:
    text = metadata(
        TRACE + "stream { event.header := struct event_header; "
        "event.context := struct { uint8_t cpu_id; }; };\n"
    )
    data = b"".join(
        struct.pack("<QHBI20s", 1000 * at, 17, at % 2, MAIN if at % 2 else WORK, b"a")
        for at in range(1, 9)
    )
    imported(tmp_path, data, text)
    with TapeReader(tmp_path / "t.tape") as reader:
        assert {ring.cpu for ring in reader.rings} == {0, 1}


def test_lost_bytes_cost_few_events(tmp_path: Path) -> None:
    data = turns(Stream(), 40).data
    chance = random.Random(4)
    for _ in range(10):
        at, count = chance.randrange(200, len(data) - 400), chance.randrange(1, 20)
        report = imported(tmp_path, data[:at] + data[at + count :], metadata())
        assert report.counts["events"] >= 161 - 3
        assert unknown_losses(tmp_path) >= 1
        found = shares(tmp_path)
        assert found["main"] + found["work"] > 90


def test_a_sleeping_thread_sleeps(tickertape_inside: Command, tmp_path: Path) -> None:
    stream = Stream()
    stream.thread("in", MAIN)
    for _ in range(5):
        stream.add("k_sleep_enter", struct.pack("<I", 10))
        stream.switch(MAIN, IDLE)
        stream.thread("thread_ready", MAIN, after=10_000 * US)
        stream.switch(IDLE, MAIN, ran=US)
        stream.add("k_sleep_exit", struct.pack("<I", 10))
    imported(tmp_path, stream.data, metadata())
    sleeps = [event for event in events_of(tmp_path) if event.name == "THREAD.NANOSLEEP"]
    assert [event.words for event in sleeps] == [(0, MAIN)] * 5
    said = tickertape_inside("why", "t.tape", "--task", "main").stdout
    assert "waiting for nanosleep" in said


def test_a_thread_that_ends_makes_a_valid_btf(tickertape_inside: Command, tmp_path: Path) -> None:
    stream = Stream()
    stream.thread("in", MAIN)
    for _ in range(3):
        stream.thread("thread_create", WORK)
        stream.switch(MAIN, WORK)
        stream.thread("thread_abort", WORK)
        stream.switch(WORK, MAIN)
    imported(tmp_path, stream.data, metadata())
    assert tickertape_inside("export", "btf", "t.tape", "-o", "t.btf").returncode == 0
    done = tickertape_inside("btf", "check", "t.btf")
    assert done.returncode == 0, done.stdout
    assert "terminate" in (tmp_path / "t.btf").read_text()


def test_only_idle_threads_are_idle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(NAMES, WORK, b"idle monitor")
    imported(tmp_path, turns(Stream()).data, metadata())
    found = shares(tmp_path)
    assert found["idle monitor"] == pytest.approx(33, abs=3)
    assert found.get("idle", 0) == 0


def test_priorities_are_those_of_the_threads(tmp_path: Path) -> None:
    stream = Stream()
    stream.thread("in", MAIN)
    stream.thread("thread_priority_set", MAIN, struct.pack("<b", 5))
    stream.thread("thread_priority_set", WORK, struct.pack("<b", -2))
    imported(tmp_path, stream.data, metadata())
    found = [event.words for event in events_of(tmp_path) if event.name == "SCHED.PRIORITY"]
    assert found == [(MAIN, 122), (WORK, 129)]


@pytest.mark.parametrize("native", ["0", "1"])
def test_events_have_the_names_of_the_metadata(
    monkeypatch: pytest.MonkeyPatch, tickertape_inside: Command, tmp_path: Path, native: str
) -> None:
    monkeypatch.setenv("TICKERTAPE_NATIVE", native)
    stream = turns(Stream())
    stream.add("named_event", struct.pack("<20sII", b"motor_on", 7, 9))
    stream.add("k_sleep_exit", struct.pack("<I", 5))
    imported(tmp_path, stream.data, metadata())
    named, sleep = tickertape_inside("print", "t.tape", "--class", "APP16").stdout.splitlines()
    assert named.split()[3:5] == ["APP16", "named_event"]
    assert sleep.split()[3:5] == ["APP16", "k_sleep_exit"]
    for style in ("csv", "jsonl"):
        words = ("print", "t.tape", "--class", "APP16", "--style", style)
        *_, named, sleep = tickertape_inside(*words).stdout.splitlines()
        assert "named_event" in named
        assert "k_sleep_exit" in sleep
