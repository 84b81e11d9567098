"""The link doctor: it finds each simulated fault, and no fault in healthy streams."""

from __future__ import annotations

import json
import socket
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import itm
from tests.support.stored_runs import RUNS, WHOLE, without_blocks
from tests.support.target import DROP, SimulatedTarget, target_with_events
from tests.support.tpiu import formatted
from tests.support.uart_line import Sender, over_line
from tickertape.decode.frames import FrameDecoder, encode_frame
from tickertape.decode.itm import Instrumentation, LocalTimestamp, PcSample, Relation, Sync
from tickertape.doctor import Kind, Report, Sure, examine
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.protocol.wire import PROTOCOL_MAJOR, FrameType
from tickertape.symbols.elf import Symbols

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.command import Command

PORT = 1
RING = (0, 0)


def part(name: str, count: int = 6000) -> bytes:
    """Return bytes from the middle of a run."""
    return RUNS[name][3000 : 3000 + count]


def first(report: Report) -> Kind | None:
    assert report.balance.holds
    return report.diagnoses[0].kind if report.diagnoses else None


RATES = (1 / 8, 1 / 4, 1 / 2, 3 / 4, 0.92, 1.07, 1.1, 3 / 2, 2, 3, 4)


@pytest.mark.parametrize("resynchronises", [False, True])
@pytest.mark.parametrize("in_packets", [False, True])
@pytest.mark.parametrize("rate", RATES)
def test_a_wrong_rate_is_found(rate: float, *, in_packets: bool, resynchronises: bool) -> None:
    data = part("messages" if resynchronises else "first_tape", round(6000 * min(1, 2 * rate)))
    sent = itm.written(PORT, data) if in_packets else data
    line = Sender(rate=rate, jitter=0.03)
    heard = over_line(sent, line, noise=0.001, resynchronises=resynchronises)
    report = examine(heard, port=PORT if in_packets else None, baud=1_000_000)
    assert first(report) is Kind.RATE
    found = report.diagnoses[0]
    assert found.sure < Sure.PROVEN  # no frame proves it
    assert found.factor == pytest.approx(rate, rel=0.08)
    assert ("ACPR" in found.mend) == in_packets


LINES: dict[str, tuple[Sender, bool, Kind]] = {
    "even parity": (Sender(parity="even"), True, Kind.PARITY),
    "odd parity": (Sender(parity="odd"), True, Kind.PARITY),
    "7 bits, even parity": (Sender(data_bits=7, parity="even"), False, Kind.DATA_BITS),
    "7 bits, odd parity": (Sender(data_bits=7, parity="odd"), False, Kind.DATA_BITS),
    "7 bits": (Sender(data_bits=7), True, Kind.DATA_BITS),
    "inverted": (Sender(inverted=True), False, Kind.INVERTED),
    "inverted, 16550": (Sender(inverted=True), True, Kind.INVERTED),
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("fault", LINES)
def test_a_wrong_format_is_found(fault: str, name: str) -> None:
    sender, resynchronises, kind = LINES[fault]
    heard = over_line(part(name), sender, noise=0.0005, resynchronises=resynchronises)
    report = examine(heard)
    assert first(report) is kind
    word = next((one for one in ("even", "odd") if one in fault), "")
    assert word in report.diagnoses[0].what


@pytest.mark.parametrize("rate", [0.5, 1, 2])
@pytest.mark.parametrize("resynchronises", [False, True])
def test_manchester_coding_is_found(rate: float, *, resynchronises: bool) -> None:
    heard = over_line(
        itm.written(PORT, part("first_tape", 4000)),
        Sender(rate=rate, jitter=0.02),
        noise=0.0005,
        resynchronises=resynchronises,
        swo_manchester=True,
    )
    report = examine(heard, port=PORT)
    assert first(report) is Kind.MANCHESTER
    assert report.diagnoses[0].sure is Sure.LIKELY


def swapped(order: tuple[int, ...], begin: int) -> bytes:
    size, data = len(order), WHOLE[: len(WHOLE) & ~3]
    middle = data[begin : len(data) - (len(data) - begin) % size]
    units = np.frombuffer(middle, np.uint8).reshape(-1, size)
    return data[:begin] + units[:, list(order)].tobytes()


def with_stamps(port: int, data: bytes) -> bytes:
    """Return packets as a trace unit mixes them: data, time stamps, PC samples, a console."""
    out = itm.encoded(Sync())
    for number, place in enumerate(range(0, len(data), 32)):
        out += itm.written(port, data[place : place + 32])
        out += itm.encoded(LocalTimestamp(number % 300, Relation.EXACT))
        out += itm.encoded(PcSample(0x0800_0000 + number))
        out += itm.encoded(Instrumentation(0, 0x41 + number % 26, 1))
    return out


def in_formatter(data: bytes) -> bytes:
    """Return data in formatter frames: the trace unit is source 1; source 2 sends at times."""
    other = [(2, 0x55)] * 3
    items = [(1, byte) for byte in data]
    return formatted(
        [one for at in range(0, len(items), 97) for one in items[at : at + 97] + other]
    )


UNDONE: dict[str, tuple[Callable[[], bytes], int | None, Kind]] = {
    "16 bits": (lambda: swapped((1, 0), 0), None, Kind.SWAPPED),
    "16 bits, odd": (lambda: swapped((1, 0), 1), None, Kind.SWAPPED),
    "32 bits": (lambda: swapped((3, 2, 1, 0), 3), None, Kind.SWAPPED),
    "halves": (lambda: swapped((2, 3, 0, 1), 2), None, Kind.SWAPPED),
    "needs swo, cut": (lambda: itm.written(PORT, WHOLE)[1:], None, Kind.NEEDS_SWO),
    "inverted": (lambda: bytes(byte ^ 0xFF for byte in WHOLE), None, Kind.INVERTED),
    "bit order": (
        lambda: bytes(int(f"{byte:08b}"[::-1], 2) for byte in WHOLE),
        None,
        Kind.BIT_ORDER,
    ),
    "needs swo": (lambda: with_stamps(PORT, WHOLE), None, Kind.NEEDS_SWO),
    "no swo": (lambda: WHOLE, PORT, Kind.NO_SWO),
    "other port": (lambda: with_stamps(5, WHOLE), PORT, Kind.OTHER_PORT),
    "formatter": (lambda: in_formatter(with_stamps(PORT, WHOLE[:9000])), PORT, Kind.TPIU),
    "formatter, no swo": (lambda: in_formatter(with_stamps(PORT, WHOLE[:9000])), None, Kind.TPIU),
    "formatter, cut": (
        lambda: in_formatter(with_stamps(PORT, WHOLE[:9000]))[9:],
        PORT,
        Kind.TPIU,
    ),
}


@pytest.mark.parametrize("fault", UNDONE)
def test_what_can_be_undone_is_proven(fault: str) -> None:
    make, port, kind = UNDONE[fault]
    report = examine(make(), port=port)
    assert first(report) is kind
    assert report.diagnoses[0].sure is Sure.PROVEN


def with_text(data: bytes) -> bytes:
    """Return data of a UART shared with a console, whose lines lie inside frames."""
    out = b""
    for number, place in enumerate(range(0, len(data), 1500)):
        out += data[place : place + 1500] + f"[{number:5d}] motor: 42 rpm\r\n".encode()
    return out


def with_flips(data: bytes) -> bytes:
    hurt = bytearray(data)
    for place in range(1000, len(data), 1777):
        hurt[place] ^= 1 << place % 8
    return bytes(hurt)


def doubled(data: bytes) -> bytes:
    frames = [piece + b"\0" for piece in data.split(b"\0")[:-1]]
    return b"".join(one * (1 + (number % 5 == 3)) for number, one in enumerate(frames))


def other_protocol(data: bytes) -> bytes:
    """Return the frames with another major version in HELLO."""
    decoder = FrameDecoder()
    decoder.receive(data)
    return b"".join(
        encode_frame(
            frame.type,
            frame.sequence,
            bytes([PROTOCOL_MAJOR + 1]) + frame.body[1:]
            if frame.type == FrameType.HELLO
            else frame.body,
            boot_tag=frame.boot_tag,
        )
        for frame in decoder.frames()
    )


def other_dictionary() -> bytes:
    target = SimulatedTarget(dictionary=0x1234)
    target.hello()
    target.record(RING, 6, 1)
    target.finish()
    return target.sent_bytes()


def never_started() -> bytes:
    target = SimulatedTarget(dictionary=DICTIONARY_HASH)
    target.hello()
    target.status(RING, final=True)
    return target.sent_bytes()


def overrun() -> bytes:
    target = SimulatedTarget(dictionary=DICTIONARY_HASH, buffers=2, buffer_records=4, policy=DROP)
    target.hello()
    for number in range(60):
        target.record(RING, 6, 1, number)
    target.finish()
    return target.sent_bytes()


def resetting() -> bytes:
    target = target_with_events()
    target.finish()
    target.reset(boot_id=99)
    target.hello()
    target.record(RING, 6, 1)
    target.finish()
    return target.sent_bytes()


PACKETS_ONLY = with_stamps(0, b"hello from the console, and no trace at all. " * 60)
STREAMS: dict[str, tuple[Callable[[], bytes], int | None, Kind | None]] = {
    "nothing": (lambda: b"", None, Kind.NOTHING),
    "nothing at the pin": (lambda: b"", PORT, Kind.NOTHING),
    "stuck": (lambda: b"\x00" * 500, None, Kind.STUCK),
    "console": (lambda: b"boot: ok, 3 devices found\r\n" * 40, None, Kind.CONSOLE_ONLY),
    "text": (lambda: with_text(RUNS["first_tape"]), None, Kind.TEXT_MIXED),
    "blocks": (lambda: without_blocks(RUNS["first_tape"]), None, Kind.DROPS),
    "flips": (lambda: with_flips(RUNS["first_tape"]), None, Kind.BIT_ERRORS),
    "frames twice": (lambda: doubled(RUNS["first_tape"]), None, Kind.REPEATS),
    "protocol": (lambda: other_protocol(WHOLE), None, Kind.PROTOCOL),
    "no trace port": (lambda: PACKETS_ONLY, PORT, Kind.NO_TRACE_PORT),
    "seven bits": (lambda: bytes(one & 0x7F for one in WHOLE), None, Kind.DATA_BITS),
    "dictionary": (other_dictionary, None, Kind.DICTIONARY),
    "not started": (never_started, None, Kind.NOT_STARTED),
    "overrun": (overrun, None, Kind.TARGET_LOSSES),
    "resets": (resetting, None, Kind.RESETS),
    "healthy": (lambda: WHOLE, None, None),
    "healthy from the middle": (lambda: RUNS["first_tape"][3333:50_000], None, None),
    "healthy pin": (lambda: with_stamps(PORT, WHOLE), PORT, None),
    "healthy pin from the middle": (lambda: itm.written(PORT, WHOLE)[2:], PORT, None),
    "healthy at 2 % more": (lambda: over_line(WHOLE[:9000], Sender(rate=1.02)), None, None),
    "healthy at 2 % less": (lambda: over_line(WHOLE[:9000], Sender(rate=0.98)), None, None),
    "healthy with two stop bits": (
        lambda: over_line(WHOLE[:9000], Sender(stop_bits=2, jitter=0.02)),
        None,
        None,
    ),
    "healthy events": (lambda: finished(target_with_events()), None, None),
}


def finished(target: SimulatedTarget) -> bytes:
    target.finish()
    return target.sent_bytes()


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_gets_its_diagnosis(name: str) -> None:
    make, port, kind = STREAMS[name]
    report = examine(make(), port=port)
    assert first(report) is kind, report.diagnoses
    assert report.healthy == (kind is None)
    if kind is None:
        assert report.balance.delivered == report.balance.offered > 0
    else:
        assert all(one.what and one.mend for one in report.diagnoses)


def test_the_firmware_is_compared_with_the_one_that_should_run() -> None:
    hello = examine(WHOLE).hello
    assert hello is not None
    assert examine(WHOLE, symbols=Symbols([], bytes.fromhex(hello.build_id))).healthy
    report = examine(WHOLE, symbols=Symbols([], bytes(range(20))))
    assert first(report) is Kind.OTHER_BUILD


@pytest.mark.parametrize("port", [None, PORT])
def test_of_random_bytes_nothing_is_known(port: int | None) -> None:
    for seed in range(3):
        report = examine(np.random.default_rng(seed).bytes(6000), port=port)
        assert report.unknown
        assert not report.healthy


PIECES = st.one_of(
    st.binary(max_size=300),
    st.integers(0, len(WHOLE)).map(lambda place: WHOLE[place : place + 400]),
    st.sampled_from(
        [b"\0" * 40, b"\xff\xff\xff\x7f", b"\x00\x00\x00\x00\x00\x80", b"text\r\n" * 9]
    ),
)


@given(st.lists(PIECES, max_size=5), st.sampled_from([None, 0, PORT]))
def test_any_bytes_get_a_report(pieces: list[bytes], port: int | None) -> None:
    report = examine(b"".join(pieces), port=port)
    assert report.balance.holds
    assert report.bytes == sum(map(len, pieces))
    assert report.healthy + report.unknown + bool(report.diagnoses) == 1


def test_the_command_reads_raw_bytes(tickertape_inside: Command, tmp_path: Path) -> None:
    (tmp_path / "healthy.raw").write_bytes(WHOLE)
    done = tickertape_inside("doctor", "healthy.raw")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "healthy")
    (tmp_path / "pin.raw").write_bytes(itm.written(PORT, WHOLE))
    done = tickertape_inside("doctor", "pin.raw")
    assert done.returncode == 1
    assert "name the link swo:LINK?stimulus=1" in done.stdout
    assert tickertape_inside("doctor", "swo:pin.raw").returncode == 0
    (tmp_path / "random.raw").write_bytes(np.random.default_rng(1).bytes(3000))
    done = tickertape_inside("doctor", "random.raw", "--json")
    assert done.returncode == 10
    assert json.loads(done.stdout)["verdict"] == "unknown"


def test_the_command_listens_to_a_link(tickertape_inside: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            peer, _ = server.accept()
            with peer:
                peer.sendall(WHOLE)

        sender = threading.Thread(target=serve)
        sender.start()
        port = server.getsockname()[1]
        # The doctor ends with the link, before the duration is over.
        done = tickertape_inside("doctor", f"socket://localhost:{port}", "--duration", "200")
        sender.join()
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "healthy")
