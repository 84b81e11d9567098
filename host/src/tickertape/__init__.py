"""tickertape: captures, keeps and prints what a kernel on a Cortex-M does.

    with tickertape.open("run.tape") as tape:
        for event in tape:
            print(event.time_ns, event.task, event.name)

What programs may use is in `__all__` and in docs/python.md. The parts, from the bytes up:
`protocol` (tables made from protocol/*.yaml), `link` (bytes from a device), `decode` (bytes to
records, without I/O), `tape` (the file), `collector` (link to tape), `model` (threads and CPUs over
time), `printing` (lines), `formats` (files of other tools), `edit` (tapes from tapes), `analysis`,
`api` (this page), `targets` (build and start a firmware), `control` and `broker` (commands,
sharing), `cli`. Importing this package loads none of them; a part is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tickertape.version import __version__

if TYPE_CHECKING:
    from tickertape.analysis.kernel_findings import Law
    from tickertape.api.arrays import ARRAY_DTYPE
    from tickertape.api.event import TapeEvent, Value
    from tickertape.api.live import Control, capture, connect, run
    from tickertape.api.parser import Parser, ParserReport
    from tickertape.api.selected import Selected
    from tickertape.api.shown import Detections, Statistics, Verdicts, Whys
    from tickertape.api.tape import Tape
    from tickertape.api.tape import open_tape as open  # noqa: A004 - as in gzip and wave
    from tickertape.api.task import TaskTimes
    from tickertape.collector.collector import CaptureResult, StopReason
    from tickertape.decode.events import DecodeCounters, Event, EventColumns, Gap
    from tickertape.errors import TickertapeError


__all__ = [
    "ARRAY_DTYPE",
    "CaptureResult",
    "Control",
    "DecodeCounters",
    "Detections",
    "Event",
    "EventColumns",
    "Gap",
    "Law",
    "Parser",
    "ParserReport",
    "Selected",
    "Statistics",
    "StopReason",
    "Tape",
    "TapeEvent",
    "TaskTimes",
    "TickertapeError",
    "Value",
    "Verdicts",
    "Whys",
    "__version__",
    "capture",
    "connect",
    "open",
    "run",
]

_HOMES = {
    "ARRAY_DTYPE": ("api.arrays", "ARRAY_DTYPE"),
    "CaptureResult": ("collector.collector", "CaptureResult"),
    "Control": ("api.live", "Control"),
    "DecodeCounters": ("decode.events", "DecodeCounters"),
    "Detections": ("api.shown", "Detections"),
    "Event": ("decode.events", "Event"),
    "EventColumns": ("decode.events", "EventColumns"),
    "Gap": ("decode.events", "Gap"),
    "Law": ("analysis.kernel_findings", "Law"),
    "Parser": ("api.parser", "Parser"),
    "ParserReport": ("api.parser", "ParserReport"),
    "Selected": ("api.selected", "Selected"),
    "Statistics": ("api.shown", "Statistics"),
    "StopReason": ("collector.collector", "StopReason"),
    "Tape": ("api.tape", "Tape"),
    "TapeEvent": ("api.event", "TapeEvent"),
    "TaskTimes": ("api.task", "TaskTimes"),
    "TickertapeError": ("errors", "TickertapeError"),
    "Value": ("api.event", "Value"),
    "Verdicts": ("api.shown", "Verdicts"),
    "Whys": ("api.shown", "Whys"),
    "capture": ("api.live", "capture"),
    "connect": ("api.live", "connect"),
    "open": ("api.tape", "open_tape"),
    "run": ("api.live", "run"),
}


def __getattr__(name: str) -> object:
    """Load a public name when it is used first; numpy alone would take a tenth of a second."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tickertape' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    value: object = getattr(import_module(f"tickertape.{module}"), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
