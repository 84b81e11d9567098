"""CTF traces: every event and loss, checked with babeltrace2 and a simple reader of CTF 2."""

from __future__ import annotations

import random
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.ctf2_reader import Ctf2Trace
from tests.support.examples import examples
from tests.support.lossy_tapes import capture, damaged, live, lossy
from tests.support.target import SimulatedTarget
from tickertape.analysis.balance import balance_of
from tickertape.decode.events import DecodeCounters
from tickertape.errors import TapeWriteFailed, UsageError
from tickertape.formats.ctf import stream as ctf_stream
from tickertape.formats.ctf.write import export_ctf
from tickertape.formats.source import Source
from tickertape.link import MemoryLink
from tickertape.tape import TapeReader
from tickertape.tape.stream import ring_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.decode.events import Event
    from tickertape.tape.format import RingKey

HEXADECIMAL = {"hex", "address", "object"}
WARNING = re.compile(r"Tracer discarded (\d+) events? between")


def values_of(event: Event) -> list[tuple[str, str, int | bytes]]:
    """Return (name, type, value) of all fields of an event, by docs/exports.md."""
    kind, payload, words = event.type, event.payload, list(event.words)
    named = [(field.name, field.type) for field in kind.fields]
    named += [("data0", "hex"), ("data1", "hex")][len(named) :]
    if payload is not None:
        text = payload[8:]
        if kind.payload == "string" and len(payload) >= 8 and 0 not in text:
            pairs = zip(named, words, strict=False)
            fields: list[tuple[str, str, int | bytes]] = [(*field, word) for field, word in pairs]
            # An empty text is left out, because babeltrace2 2.0.4 prints the previous text for it.
            return [*fields, ("text", "text", text)] if text else fields
        is_wide = kind.wide_fields and len(payload) % 4 == 0 and 2 < len(words) <= 255
        if not is_wide:
            return [("length", "u32", len(payload)), ("payload", "bytes", payload)]
        named += [(field.name, field.type) for field in kind.wide_fields]
        named += [(f"data{number}", "hex") for number in range(len(named), len(words))]
    return [
        (name, type_, word - 2**32 if type_ == "i32" and word >= 2**31 else word)
        for (name, type_), word in zip(named, words, strict=False)
    ]


def printed(event: Event) -> str:
    """Return an event as babeltrace2 prints it with --clock-cycles --no-delta."""

    def shown(type_: str, value: int | bytes) -> str:
        if isinstance(value, bytes):
            if type_ == "text":
                return f'"{value.decode()}"'
            items = ", ".join(f"[{at}] = {byte}" for at, byte in enumerate(value))
            return f"[ {items} ]" if items else "[ ]"
        return f"0x{value:X}" if type_ in HEXADECIMAL else str(value)

    fields = ", ".join(f"{name} = {shown(type_, value)}" for name, type_, value in values_of(event))
    context = f"domain = {event.domain}, host = {event.host:d}, truncated = {event.truncated:d}"
    return (
        f"[{event.time_ticks:020d}] {event.name}: {{ cpu_id = {event.cpu}, "
        f"stream = {event.stream} }}, {{ {context} }}, {{ {fields} }}"
    )


def events_by_ring(reader: TapeReader) -> Iterator[tuple[RingKey, list[Event]]]:
    for ring in reader.rings:
        parts = ring_events(reader, ring, DecodeCounters())
        yield ring, [event for part in parts for event in part.events()]


def compare_with_babeltrace2(tape: Path, folder: Path) -> int:
    """Export a tape and compare it with babeltrace2 event by event; return the lost records."""
    with TapeReader(tape) as reader:
        export_ctf(Source(reader), folder, ctf="1.8")
        expected = dict(events_by_ring(reader))
        balance = balance_of(reader).total
        boots = sorted({ring.epoch for ring in expected})
    assert balance.holds
    lost = 0
    for boot in boots:
        trace = folder if len(boots) == 1 else folder / f"boot{boot}"
        line = ["babeltrace2", "--clock-cycles", "--no-delta", str(trace)]
        done = subprocess.run(line, check=True, capture_output=True, text=True)
        lines = done.stdout.splitlines()
        assert len(lines) == sum(len(found) for ring, found in expected.items() if ring[0] == boot)
        for ring, found in expected.items():
            mark = f"{{ cpu_id = {ring.cpu}, stream = {ring.stream} }}"
            if ring.epoch == boot:
                assert [one for one in lines if mark in one] == [printed(one) for one in found]
        lost += sum(map(int, WARNING.findall(done.stderr)))
    assert lost == balance.offered - balance.delivered
    return lost


@pytest.mark.parametrize(
    ("target", "example"),
    [("native", "first_tape"), ("qemu", "messages"), ("qemu-dual", "first_tape")],
)
def test_babeltrace2_prints_every_event_of_a_capture(
    tickertape: Command, tmp_path: Path, target: str, example: str
) -> None:
    words = ("--target", target, "--example", example, "--duration", "0.2")
    assert tickertape("run", "-q", *words, "-o", "t.tape").returncode == 0
    assert compare_with_babeltrace2(tmp_path / "t.tape", tmp_path / "trace") == 0


@pytest.mark.parametrize("seed", range(4))
def test_babeltrace2_reports_exactly_the_losses(
    make_tape: Callable[[bytes], Path], tmp_path: Path, seed: int
) -> None:
    _, data = lossy(seed)
    assert compare_with_babeltrace2(make_tape(data), tmp_path / "trace") > 100


@settings(max_examples=examples(60))
@given(st.integers(0, 2**40))
def test_what_ctf_2_says_is_what_the_tape_says(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    rng = random.Random(seed)
    pieces, _ = damaged(live(rng), rng)
    folder = tmp_path_factory.mktemp("ctf")
    capture(MemoryLink(pieces), folder / "t.tape")
    with TapeReader(folder / "t.tape") as reader:
        if not reader.rings:
            with pytest.raises(UsageError):
                export_ctf(Source(reader), folder / "trace", ctf="2")
            return
        report = export_ctf(Source(reader), folder / "trace", ctf="2")
        expected = dict(events_by_ring(reader))
        balances = {one.ring: one.balance for one in balance_of(reader).rings}
        rate = reader.clock(0).hz
    for ring, events in expected.items():
        trace = Ctf2Trace(
            folder / "trace" / (f"boot{ring.epoch}" if report.counts["boots"] else "")
        )
        assert trace.clock["frequency"] == rate
        packets = list(trace.packets(f"stream{ring.stream}_cpu{ring.cpu}"))
        found = [event for packet in packets for event in packet.events]
        assert [(name, fields) for name, _, _, fields in found] == [
            (one.name, {name: value for name, _, value in values_of(one)}) for one in events
        ]
        # The clock of a stream never decreases; where ours decreased, the export holds it.
        times = [time for _, time, _, _ in found]
        assert times == sorted(times)
        if not report.counts["held"]:
            assert times == [one.time_ticks for one in events]
        discarded = [packet.context["events_discarded"] for packet in packets]
        assert discarded == sorted(discarded)
        balance = balances[ring]
        assert (discarded[-1] if discarded else 0) == balance.offered - balance.delivered
        for packet in packets:
            inside = [time for _, time, _, _ in packet.events]
            begin, end = packet.context["timestamp_begin"], packet.context["timestamp_end"]
            assert begin <= min(inside, default=begin) <= max(inside, default=end) <= end
            assert packet.context["cpu_id"] == ring.cpu


def test_contexts_of_events(make_tape: Callable[[bytes], Path], tmp_path: Path) -> None:
    target = SimulatedTarget()
    target.hello()
    target.record((0, 0), 9, 0, 1, 2)
    target.combine((0, 0), 4, 320, bytes(8) + b"a\0b")
    target.combine((0, 0), 6, 1, b"")
    target.combine((0, 0), 31, 1023, b"\1\2")
    target.finish()
    with TapeReader(make_tape(target.sent_bytes())) as reader:
        export_ctf(Source(reader), tmp_path / "trace", ctf="2")
    (packet,) = Ctf2Trace(tmp_path / "trace").packets("stream0_cpu0")
    plain = {"domain": 0, "host": 0, "truncated": 0}
    assert packet.events == [
        ("SCHED.CONTEXT_SWITCH", 0, plain, {"prev_tid": 1, "next_tid": 2}),
        # A text with a zero byte is exported as bytes, because a CTF text would end there.
        ("THREAD.NAME", 0, plain, {"length": 11, "payload": bytes(8) + b"a\0b"}),
        ("USER.USER_1", 0, plain, {"length": 0, "payload": b""}),
        ("APP31.EVENT_1023", 0, plain, {"length": 2, "payload": b"\1\2"}),
    ]


def test_a_full_disk_and_a_name_that_is_taken_leave_nothing_behind(
    tape: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with TapeReader(tape) as reader:
        with pytest.raises(TapeWriteFailed, match=r"already exists; remove it"):
            export_ctf(Source(reader), tmp_path / "taken", ctf="1.8")
        with pytest.raises(UsageError, match="there is no CTF 3"):
            export_ctf(Source(reader), tmp_path / "trace", ctf="3")

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(ctf_stream.CtfStream, "write", full)
        with pytest.raises(TapeWriteFailed, match="No space left"):
            export_ctf(Source(reader), tmp_path / "trace", ctf="1.8")
    assert sorted(tmp_path.rglob("*")) == before


def test_the_command(tickertape_inside: Command, tape: Path, tmp_path: Path) -> None:
    done = tickertape_inside("export", "ctf", tape, "-o", "trace")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "trace: 81 events in 1 streams\n")
    assert {path.name for path in (tmp_path / "trace").iterdir()} == {"metadata", "stream0_cpu0"}
    done = tickertape_inside("export", "ctf", tape, "-o", "trace")
    assert done.returncode == 4
    assert done.stderr == ("tickertape: trace already exists; remove it, or choose another name\n")
    done = tickertape_inside("export", "ctf", tape, "-o", "two", "--ctf", "2", "-q")
    assert (done.returncode, done.stdout) == (0, "")
    (packet,) = Ctf2Trace(tmp_path / "two").packets("stream0_cpu0")
    assert len(packet.events) == 81
