"""Traces through a debug probe: RTT servers of J-Link and OpenOCD, and SWO."""

from __future__ import annotations

import json
import re
import socket
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.support.itm import encoded, written
from tests.support.probe import Probe
from tickertape.decode.itm import Instrumentation, LocalTimestamp, Relation, Sync
from tickertape.errors import LinkError, LinkMissing
from tickertape.link import open_link
from tickertape.targets.native import NativeTarget

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.link import Link

GREETING = (
    b"SEGGER J-Link V7.94e - Real time terminal output\r\n"
    b"SEGGER J-Link ARM V11.0, SN=123456789\r\nProcess: JLinkGDBServer\r\n"
)
DURATION = ("--duration-ms", "300")


@pytest.fixture(scope="module")
def firmware() -> Path:
    return NativeTarget().build("first_tape").path


def on_a_pin(data: bytes) -> bytes:
    """Return SWO packets of data at port 1, with a console at port 0 and time stamps."""
    stamp = encoded(LocalTimestamp(12_345, Relation.EXACT))
    console = encoded(Instrumentation(0, ord("x"), 1))
    return encoded(Sync()) + console + stamp + written(1, data) + stamp


def same_as_without_a_probe(tickertape: Command, link: str, firmware: Path) -> list[str]:
    """Capture through a probe; check that no event is missing. Return the remarks."""
    done = tickertape("capture", link, "-o", "probe.tape", "--symbols", firmware)
    assert done.returncode == 0, done.stderr
    info = json.loads(tickertape("info", "probe.tape", "--json").stdout)
    balance = info["balance"]
    fates = ("delivered", "overwritten", "dropped", "damaged")
    assert balance["offered"] == sum(balance[fate] for fate in fates) > 0
    assert info["complete"], info["issues"]
    words = ("--target", "native", "--duration", "0.3", "-o", "plain.tape", "--symbols")
    plain = tickertape("run", *words)
    assert plain.returncode == 0, plain.stderr
    texts = [tickertape("print", tape).stdout for tape in ("probe.tape", "plain.tape")]
    assert texts[0] == texts[1]
    remarks: list[str] = info["notes"]
    return remarks


def test_a_channel_of_j_links_server(tickertape: Command, firmware: Path) -> None:
    asked = b"$$SEGGER_TELNET_ConfigStr=RTTCh;2$$"
    with Probe(firmware, *DURATION, greeting=GREETING, end_of_question=b"2$$") as probe:
        remarks = same_as_without_a_probe(tickertape, f"rtt://{probe.url}?channel=2", firmware)
    assert (probe.asked, remarks) == (asked, [])


def test_a_channel_of_openocds_server(tickertape: Command, firmware: Path) -> None:
    with Probe(firmware, *DURATION) as probe:
        same_as_without_a_probe(tickertape, f"socket://{probe.url}", firmware)


def test_a_stimulus_port_of_swo(tickertape: Command, firmware: Path) -> None:
    with Probe(firmware, *DURATION, framed=on_a_pin) as probe:
        remarks = same_as_without_a_probe(tickertape, f"swo:socket://{probe.url}", firmware)
    assert [re.sub(r"\d+ p", "N p", remark) for remark in remarks] == [
        "swo, port 1: N packets of port 0"
    ]


def test_a_recording_of_swo(tickertape: Command, firmware: Path, tmp_path: Path) -> None:
    with Probe(firmware, *DURATION) as probe, closing(open_link(f"socket://{probe.url}")) as link:
        data = b""
        while not link.at_end:
            data += link.read(4096, 1.0)
    (tmp_path / "swo.bin").write_bytes(written(3, data))
    assert same_as_without_a_probe(tickertape, "swo:swo.bin?stimulus=3", firmware) == []


@contextmanager
def served() -> Iterator[tuple[socket.socket, Link]]:
    """Yield both ends of a connection to an RTT server."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"rtt://127.0.0.1:{server.getsockname()[1]}"
        with closing(open_link(url)) as link, server.accept()[0] as peer:
            yield peer, link


@pytest.mark.parametrize("size", [1, 7, 100, 100_000])
def test_a_greeting_may_come_in_pieces(size: int) -> None:
    trace = b"\x05text\0 and \r\n so on\0" * (size // 10 + 1)
    data = GREETING + trace
    found = b""
    with served() as (peer, link):
        assert peer.recv(100) == b"$$SEGGER_TELNET_ConfigStr=RTTCh;1$$"
        for place in range(0, len(data), size):
            peer.sendall(data[place : place + size])
            found += link.read(1000, 0.0)
        peer.close()
        while not link.at_end:
            found += link.read(1000, 5.0)
    assert found == trace


def test_a_server_without_a_greeting_is_read_from_its_first_byte() -> None:
    with served() as (peer, link):
        peer.sendall(b"SEG\x04\0")
        found = b""
        while not link.at_end and len(found) < len(b"SEG\x04\0"):
            found += link.read(1000, 5.0)
    assert found == b"SEG\x04\0"


def test_advice_where_no_probe_serves(tickertape: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(LinkMissing, match="JLinkGDBServer") as caught:
        open_link(f"rtt://127.0.0.1:{port}", wait_s=0.0)
    assert "rtt server start" in str(caught.value)
    done = tickertape("capture", f"rtt://127.0.0.1:{port}", "-o", "T.tape", "--wait", "0.1")
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)


def test_swo_carries_no_commands(tmp_path: Path) -> None:
    (tmp_path / "swo.bin").write_bytes(b"")
    with (
        closing(open_link(f"swo:{tmp_path / 'swo.bin'}")) as link,
        pytest.raises(LinkError, match="cannot carry commands"),
    ):
        link.write(b"x")
