"""The HELLO of a tape that was imported from another tool's file."""

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
        target: what wrote the file, for people.
        tick_hz: clock rate, less than 2^32.
        byte_order: of the records.
        cpu_count: CPUs that the file speaks of.
        dictionary: hash of the list of events it was written with; 0 unknown.
        build_id: of the firmware; up to 20 bytes count.
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
