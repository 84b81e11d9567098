"""Common Trace Format 1.8 and 2: writer."""

from __future__ import annotations

from typing import Final

from tickertape.formats.registry import FOLDER, INCOMPLETE, Conversion, Option

VERSIONS: Final = ("1.8", "2")

EXPORTS: Final = {
    "ctf": Conversion(
        "ctf.write:export_ctf",
        "trace in the Common Trace Format, for babeltrace2 and Trace Compass",
        "{events} events in {streams} streams",
        notes={
            "boots": "a trace for each of {boots} boots",
            "discarded": "{discarded} records were lost and are counted as discarded",
            "unknown": "at {unknown} places the number is unknown; they are discarded packets",
            "held": "the clock stepped back before {held} events; they have the time of the event "
            "before them",
            **INCOMPLETE,
        },
        options=(
            Option(
                "--ctf",
                f"version of the format (default: {VERSIONS[0]})",
                default=VERSIONS[0],
                choices=VERSIONS,
            ),
        ),
        output=("DIR", FOLDER),
    )
}
