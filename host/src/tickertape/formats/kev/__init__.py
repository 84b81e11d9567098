"""Kernel traces of QNX Neutrino (`.kev`): reader and writer."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tickertape.formats.registry import BOOT, CUT_END, INCOMPLETE, STREAM, Conversion

EXPORTS: Final = {
    "kev": Conversion(
        "kev.write:export_kev",
        "kernel trace of QNX Neutrino",
        "{events} events",
        notes={
            "losses": "records are missing at {losses} places; the file marks them "
            "without their number",
            **INCOMPLETE,
        },
        options=(
            replace(BOOT, former="--epoch"),
            STREAM,
        ),
    )
}
IMPORTS: Final = {
    "kev": Conversion(
        "kev.read:import_kev",
        "kernel trace of QNX Neutrino",
        "{records} records of {cpus:d} CPUs",
        notes={
            "losses": "the file reports losses at {losses} places, but not how many records",
            "rate_unknown": "the file contains no clock rate, so that a tick is shown as 1 ns",
        },
        warnings=CUT_END,
        unit_bytes=16,
    )
}
