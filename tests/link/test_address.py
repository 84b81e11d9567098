from __future__ import annotations

import pytest

from tickertape.errors import UsageError
from tickertape.link.address import Address, Kind, parse_address

GOOD = {
    "-": Address("-", Kind.STDIN),
    "/dev/ttyACM0": Address("/dev/ttyACM0", Kind.PATH, path="/dev/ttyACM0"),
    "/dev/ttyACM0?baud=921600": Address(
        "/dev/ttyACM0?baud=921600", Kind.PATH, path="/dev/ttyACM0", baud=921_600
    ),
    "serial:///dev/ttyS1?baudrate=9600": Address(
        "serial:///dev/ttyS1?baudrate=9600", Kind.PATH, path="/dev/ttyS1", baud=9600
    ),
    "COM5": Address("COM5", Kind.PATH, path="COM5"),
    "file:bytes.bin": Address("file:bytes.bin", Kind.PATH, path="bytes.bin"),
    "file:///tmp/x": Address("file:///tmp/x", Kind.PATH, path="/tmp/x"),  # noqa: S108 - a name
    "odd?name": Address("odd?name", Kind.PATH, path="odd?name"),
    "socket://host:4000": Address("socket://host:4000", Kind.CONNECT, host="host", port=4000),
    "socket://[::1]:4000": Address("socket://[::1]:4000", Kind.CONNECT, host="::1", port=4000),
    "tcp-listen://:4000": Address("tcp-listen://:4000", Kind.LISTEN, host="localhost", port=4000),
    "unix:/run/s": Address("unix:/run/s", Kind.UNIX, path="/run/s"),
    "unix:///run/s": Address("unix:///run/s", Kind.UNIX, path="/run/s"),
    "unix:s": Address("unix:s", Kind.UNIX, path="s"),
    "loop://": Address("loop://", Kind.PYSERIAL, path="loop://"),
    "rfc2217://h:1?baud=9600": Address(
        "rfc2217://h:1?baud=9600", Kind.PYSERIAL, path="rfc2217://h:1", baud=9600
    ),
    "rfc2217://h:1?timeout=3&baud=9600": Address(
        "rfc2217://h:1?timeout=3&baud=9600",
        Kind.PYSERIAL,
        path="rfc2217://h:1?timeout=3",
        baud=9600,
    ),
    "rtt://": Address("rtt://", Kind.RTT, host="localhost", port=19021, channel=1),
    "rtt://h:1?channel=0": Address("rtt://h:1?channel=0", Kind.RTT, host="h", port=1, channel=0),
    "gdb://:3333?at=0x20000400": Address(
        "gdb://:3333?at=0x20000400", Kind.GDB, host="localhost", port=3333, place=0x20000400
    ),
    "memory:/dev/shm/ram": Address("memory:/dev/shm/ram", Kind.MEMORY, path="/dev/shm/ram"),  # noqa: S108 - a name
    "memory:ram?at=64": Address("memory:ram?at=64", Kind.MEMORY, path="ram", place=64),
    "swo:trace.bin": Address("swo:trace.bin", Kind.SWO, path="trace.bin", channel=1),
    "swo:/dev/ttyUSB0?baud=2000000&stimulus=31": Address(
        "swo:/dev/ttyUSB0?baud=2000000&stimulus=31",
        Kind.SWO,
        path="/dev/ttyUSB0?baud=2000000",
        channel=31,
    ),
    "swo:pyocd@0240?baud=1000000&stimulus=2": Address(
        "swo:pyocd@0240?baud=1000000&stimulus=2",
        Kind.SWO,
        path="pyocd@0240",
        baud=1_000_000,
        channel=2,
    ),
    "swo:pyocd": Address("swo:pyocd", Kind.SWO, path="pyocd", baud=2_000_000, channel=1),
    "rtt:pyocd@0240?channel=2": Address(
        "rtt:pyocd@0240?channel=2", Kind.RTT, path="pyocd@0240", channel=2
    ),
    "swo:socket://h:3443": Address(
        "swo:socket://h:3443", Kind.SWO, path="socket://h:3443", channel=1
    ),
}
BAD = [
    "",
    "socket://host",
    "socket://host:0",
    "socket://host:99999",
    "socket://host:abc",
    "http://example.org",
    "/dev/ttyACM0?baud=fast",
    "/dev/ttyACM0?baud=0",
    "/dev/ttyACM0?baud=",
    "gdb://localhost:3333",
    "gdb://localhost?at=0x20000400",
    "gdb://localhost:3333?at=0x20000401",
    "gdb://localhost:3333?at=here",
    "memory:",
    "memory:ram?at=-4",
    "unix:",
    "rtt://h:0",
    "rtt://h?channel=all",
    "rtt://h?channel=256",
    "swo:",
    "swo://h:1",
    "swo:swo:x",
    "swo:pyocd?baud=0",
    "rtt:pyocd?channel=x",
    "rtt:jlink",
    "swo:socket://h",
    "swo:x?stimulus=32",
]


@pytest.mark.parametrize("text", GOOD)
def test_addresses(text: str) -> None:
    assert parse_address(text) == GOOD[text]


@pytest.mark.parametrize("text", BAD)
def test_nonsense_is_refused_with_advice(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(text)
    assert caught.value.advice
    assert "\n" not in str(caught.value)
