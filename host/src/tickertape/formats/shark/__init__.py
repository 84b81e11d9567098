"""S.Ha.R.K. tracer: reader and writer of files, reader of packets, the tdump listing."""

from __future__ import annotations

from typing import Final

from tickertape.formats.registry import CUT_END, TIME_GOES_BACK, Conversion, Option, number

LAYOUT_NAMES: Final = ("original", "reference", "original-big", "packed", "wide")

EXPORTS: Final = {
    "shark": Conversion(
        "shark.write:export_shark",
        "records of the S.Ha.R.K. tracer",
        "{records} records",
        notes={
            "repeated": "{repeated} activations are in the TRC_INTACTIVATION before them",
            "others": "{others} events have no number there and are left out",
            "gaps": "records are missing at {gaps} places; the file cannot show them",
        },
        options=(
            Option(
                "--layout",
                "layout of the records (default: original)",
                default="original",
                choices=LAYOUT_NAMES,
            ),
            Option("--stream", "stream (queue) number (default: all)", "N", parse=number),
        ),
    )
}
IMPORTS: Final = {
    "shark": Conversion(
        "shark.read:import_shark",
        "records of the S.Ha.R.K. tracer",
        "{records} records, layout {layout}",
        warnings={
            "unknown": "{unknown} records of events that are not known, the first at byte "
            "{first_unknown:d}; they are kept under their number",
            "unnumbered": "{unnumbered} records have a number above 1023, the first at byte "
            "{first_unnumbered:d}; they are left out, is --layout right?",
            **TIME_GOES_BACK,
            **CUT_END,
        },
        options=(
            Option("--layout", "layout of the records (default: detect)", choices=LAYOUT_NAMES),
        ),
    )
}
