"""HELLO of a tape that was imported from a file of another tool."""

from __future__ import annotations

from typing import Final

from tickertape.protocol.wire import HELLO, PROTOCOL_MAJOR, PROTOCOL_MINOR, ByteOrder

_BUILD_ID_BYTES: Final = 20


def build_hello(  # noqa: PLR0913 - the fields of a HELLO
    target: str,
    tick_hz: int,
    *,
    byte_order: ByteOrder = ByteOrder.LITTLE,
    cpu_count: int = 1,
    dictionary: int = 0,
    build_id: bytes = b"",
    flags: int = 0,
) -> bytes:
    """Build the body of a HELLO frame.

    Args:
        target: name of the tool or target that wrote the file.
        tick_hz: clock rate, less than 2^32.
        byte_order: byte order of the records.
        cpu_count: number of CPUs in the file.
        dictionary: hash of the event list that the file was written with; 0 when unknown.
        build_id: build ID of the firmware; only the first 20 bytes are used.
        flags: HelloFlag bits.
    """
    body: bytes = HELLO.build(
        {
            "major": PROTOCOL_MAJOR,
            "minor": PROTOCOL_MINOR,
            "byte_order": byte_order,
            "cpu_count": cpu_count,
            "stream_count": 1,
            "buffer_count": 0,
            "buffer_records": 0,
            "tick_hz": tick_hz,
            "boot_id": 0,
            "dictionary": dictionary,
            "ticks": 0,
            "build_id": build_id[:_BUILD_ID_BYTES].ljust(_BUILD_ID_BYTES, b"\0"),
            "flags": flags,
        }
    )
    return body + target.encode()
