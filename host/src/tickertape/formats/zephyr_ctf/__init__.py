"""CTF streams that Zephyr's own tracing wrote: reader."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tickertape.formats.registry import Conversion, Option

IMPORTS: Final = {
    "zephyr-ctf": Conversion(
        "zephyr_ctf.read:import_zephyr_ctf",
        "CTF stream of Zephyr's own tracing",
        "{events} events",
        notes={"kept": "{kept} of them kept as they are"},
        warnings={
            "unknown": "at byte {bytes_read:d} is an event of number {unknown_id:#x}, which the "
            "metadata does not describe; {unread_bytes} bytes from there on are not read, and "
            "count as unknown; give the metadata of the Zephyr that wrote it",
            "cut_bytes": "ends within an event, its last {cut_bytes:d} bytes are left out; copy it "
            "again if it was longer",
            "turns": "the time steps back {turns} times; events keep their order and their times",
        },
        options=(
            Option(
                "--metadata",
                "metadata of the Zephyr that wrote it (default: beside the stream)",
                "FILE",
                parse=Path,
            ),
        ),
        file=("PATH", "the stream (channel0_0), or a folder with it and its metadata"),
        counted="bytes",
        unit_bytes=1,
    )
}
