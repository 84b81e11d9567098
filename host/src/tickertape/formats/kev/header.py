"""Builds the header of a trace file of QNX Neutrino from the facts on a tape.

docs/kev.md has the format. A tape imported from such a file contains the header of that file.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from tickertape.decode.ticks import NS_PER_S
from tickertape.formats.kev.marks import KEV_META
from tickertape.protocol.wire import ByteOrder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tickertape.decode.bodies import Hello
    from tickertape.tape.format import TapeHeader


# The reader of QNX searches for the next key in windows of 99 bytes.
_WINDOW_BYTES: Final = 99


def kev_meta(meta: Mapping[str, object]) -> Mapping[str, object] | None:
    """Return the facts about an imported QNX file in META; None for other tapes."""
    kept = meta.get(KEV_META)
    return kept if isinstance(kept, dict) else None


def kev_header(
    path: Path,
    header: TapeHeader,
    hello: Hello | None,
    meta: Mapping[str, object],
    version: str,
) -> dict[str, str]:
    """Return keys without `TRACE_`, in the order of the file, with their values.

    Args:
        path: path of the tape, for the file name in the header.
        header: header of the tape.
        hello: HELLO of the target; None without one.
        meta: META of the tape.
        version: version of tickertape.
    """
    kept = kev_meta(meta)
    own = kept.get("header") if kept else None
    if isinstance(own, dict):
        return {str(key): str(value) for key, value in own.items()}
    created = time.asctime(time.gmtime(header.created_ns // NS_PER_S))
    little = header.byte_order is ByteOrder.LITTLE
    values = {
        "HEADER_BEGIN": "",
        "FILE_NAME": path.name,
        "DATE": created,
        "VER_MAJOR": "1",
        "VER_MINOR": "01",
        "LITTLE_ENDIAN" if little else "BIG_ENDIAN": "TRUE",
        "ENCODING": "16 byte events",
        "BOOT_DATE": "unknown",
        "CYCLES_PER_SEC": str(hello.tick_hz if hello else NS_PER_S),
        "CPU_NUM": str(hello.cpu_count if hello else 1),
        "SYSNAME": "tickertape",
        "NODENAME": hello.target if hello and hello.target else "unknown",
        "SYS_RELEASE": version,
        "SYS_VERSION": hello.build_id if hello and hello.build_id else "unknown",
        "MACHINE": str(meta.get("board", "unknown")),
        "SYSPAGE_LEN": "0",
        "TRACELOGGER_ARGS": "tickertape export kev",
        "HEADER_END": "",
    }
    return {key: _fitting(key, value) for key, value in values.items()}


def _fitting(key: str, value: str) -> str:
    """Return a value that the reader of QNX accepts: short, and without a key inside."""
    plain = value.replace("TRACE_", "TRACE-")
    room = _WINDOW_BYTES - len(f"TRACE_{key}::") - 1
    return plain.encode(errors="replace")[:room].decode(errors="ignore")
