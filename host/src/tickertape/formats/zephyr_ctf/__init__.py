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
            "unknown": "at byte {first_unknown:d} is an event of number {unknown_id:#x}, which the "
            "metadata does not describe ({unknown} such places); give the metadata of the Zephyr "
            "that wrote it",
            "skipped_bytes": "{skipped_bytes} bytes at {places} places are not events, the first "
            "at byte {first_skipped:d}; what they were is lost",
            "discarded": "Zephyr discarded {discarded} events",
            "overwritten": "{overwritten} packets were overwritten or are missing",
            "contradictions": "{contradictions} events contradict the state of their CPU "
            "({which}); what they leave unknown is marked on the tape",
            "unplaced": "{unplaced} events do not name their CPU; they are kept as they are",
            "cut_bytes": "ends within an event, its last {cut_bytes:d} bytes are left out; copy it "
            "again if it was longer",
            "zero_bytes": "ends with {zero_bytes} bytes of unused memory",
            "turns": "the time steps back {turns} times; events keep their order and their times",
            "falls": "the clock begins again {falls} times; the time goes on from there",
            "timeless": "events have no time stamps: all have time 0",
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
        page="docs/zephyr-ctf.md",
    )
}
