"""Files of FTrace, the second tracer of the S.Ha.R.K. kernel: reader and listings."""

from __future__ import annotations

from typing import Final

from tickertape.formats.registry import CUT_END, TIME_GOES_BACK, Conversion

IMPORTS: Final = {
    "ftrace": Conversion(
        "ftrace.read:import_ftrace",
        "records of FTrace, the second tracer of the S.Ha.R.K. kernel",
        "{records} records",
        warnings={
            "unknown": "{unknown} records of events that are not known, the first at byte "
            "{first_unknown:d}; they are kept, see them with --style list",
            **TIME_GOES_BACK,
            **CUT_END,
            "rate_unknown": "contains no clock rate; a tick is shown as 1 ns",
        },
        unit_bytes=16,
    )
}
