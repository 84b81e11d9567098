"""tickertape: capture, store and print traces of kernels on a Cortex-M.

    with tickertape.open("run.tape") as tape:
        for event in tape:
            print(event.time_ns, event.task, event.name)

`__all__` and docs/python.md list the public names. The parts, from the bytes up:
`protocol` (tables made from protocol/*.yaml), `link` (bytes from a device), `decode` (bytes to
records, without I/O), `tape` (the file), `collector` (link to tape), `model` (threads and CPUs over
time), `printing` (lines), `formats` (files of other tools), `edit` (tapes from tapes), `analysis`,
`api` (the public names), `targets` (build and start a firmware), `control` and `broker` (commands,
sharing), `cli`. Importing this package loads none of them; a part is loaded when it is first used.
"""

from __future__ import annotations

from tickertape.version import __version__

TYPE_CHECKING = False  # type checkers treat it as True; importing `typing` costs time

if TYPE_CHECKING:
    from tickertape.analysis.balance import TapeBalance
    from tickertape.analysis.kernel_findings import Judgement, Law
    from tickertape.analysis.kernel_findings import Verdict as LawVerdict
    from tickertape.analysis.ledger import Balance
    from tickertape.analysis.plan import Plan, PlanOptions
    from tickertape.analysis.summary import Summary
    from tickertape.answers.check import Outcome, Verdict
    from tickertape.answers.findings import Detection
    from tickertape.answers.spec import SpecError
    from tickertape.answers.statistics import BootStats
    from tickertape.answers.why import Why
    from tickertape.api.arrays import ARRAY_DTYPE
    from tickertape.api.columns import TapeColumns
    from tickertape.api.criteria import Criteria
    from tickertape.api.event import TapeEvent, Value
    from tickertape.api.live import Control, capture, connect, run
    from tickertape.api.parser import Parser, ParserReport
    from tickertape.api.selected import Selected
    from tickertape.api.shown import Detections, Statistics, Verdicts, Whys
    from tickertape.api.tape import Tape
    from tickertape.api.tape import open_tape as open  # noqa: A004 - as in gzip and wave
    from tickertape.api.task import TaskTimes
    from tickertape.collector.collector import CaptureResult, Progress, StopReason
    from tickertape.control.client import ClassSelection, StreamStatus
    from tickertape.decode.bodies import Hello
    from tickertape.decode.commands import Reply
    from tickertape.decode.events import DecodeCounters, Event, EventColumns, Gap
    from tickertape.decode.ticks import Clock
    from tickertape.errors import (
        CommandRefused,
        DictionaryMismatch,
        FirmwareError,
        ForeignFile,
        LinkBusy,
        LinkDenied,
        LinkError,
        LinkLost,
        LinkMissing,
        LinkSilent,
        NativeMismatch,
        NotATape,
        ProtocolMismatch,
        TapeBusy,
        TapeClosed,
        TapeDamaged,
        TapeEmpty,
        TapeError,
        TapeMissing,
        TapeVersion,
        TapeWriteFailed,
        TargetError,
        TickertapeError,
        TraceError,
        UsageError,
    )
    from tickertape.formats.report import Report
    from tickertape.model.kernel import Task
    from tickertape.protocol.event_type import EventType, Field
    from tickertape.protocol.wire import ByteOrder, Command, ObjectKind, Policy
    from tickertape.tape.board import Board
    from tickertape.tape.format import TapeIssue


__all__ = [
    "ARRAY_DTYPE",
    "Balance",
    "Board",
    "BootStats",
    "ByteOrder",
    "CaptureResult",
    "ClassSelection",
    "Clock",
    "Command",
    "CommandRefused",
    "Control",
    "Criteria",
    "DecodeCounters",
    "Detection",
    "Detections",
    "DictionaryMismatch",
    "Event",
    "EventColumns",
    "EventType",
    "Field",
    "FirmwareError",
    "ForeignFile",
    "Gap",
    "Hello",
    "Judgement",
    "Law",
    "LawVerdict",
    "LinkBusy",
    "LinkDenied",
    "LinkError",
    "LinkLost",
    "LinkMissing",
    "LinkSilent",
    "NativeMismatch",
    "NotATape",
    "ObjectKind",
    "Outcome",
    "Parser",
    "ParserReport",
    "Plan",
    "PlanOptions",
    "Policy",
    "Progress",
    "ProtocolMismatch",
    "Reply",
    "Report",
    "Selected",
    "SpecError",
    "Statistics",
    "StopReason",
    "StreamStatus",
    "Summary",
    "Tape",
    "TapeBalance",
    "TapeBusy",
    "TapeClosed",
    "TapeColumns",
    "TapeDamaged",
    "TapeEmpty",
    "TapeError",
    "TapeEvent",
    "TapeIssue",
    "TapeMissing",
    "TapeVersion",
    "TapeWriteFailed",
    "TargetError",
    "Task",
    "TaskTimes",
    "TickertapeError",
    "TraceError",
    "UsageError",
    "Value",
    "Verdict",
    "Verdicts",
    "Why",
    "Whys",
    "__version__",
    "capture",
    "connect",
    "open",
    "run",
]

_HOMES = {
    "ARRAY_DTYPE": ("api.arrays", "ARRAY_DTYPE"),
    "Balance": ("analysis.ledger", "Balance"),
    "Board": ("tape.board", "Board"),
    "BootStats": ("answers.statistics", "BootStats"),
    "ByteOrder": ("protocol.wire", "ByteOrder"),
    "CaptureResult": ("collector.collector", "CaptureResult"),
    "ClassSelection": ("control.client", "ClassSelection"),
    "Clock": ("decode.ticks", "Clock"),
    "Command": ("protocol.wire", "Command"),
    "CommandRefused": ("errors", "CommandRefused"),
    "Control": ("api.live", "Control"),
    "Criteria": ("api.criteria", "Criteria"),
    "DecodeCounters": ("decode.events", "DecodeCounters"),
    "Detection": ("answers.findings", "Detection"),
    "Detections": ("api.shown", "Detections"),
    "DictionaryMismatch": ("errors", "DictionaryMismatch"),
    "Event": ("decode.events", "Event"),
    "EventColumns": ("decode.events", "EventColumns"),
    "EventType": ("protocol.event_type", "EventType"),
    "Field": ("protocol.event_type", "Field"),
    "FirmwareError": ("errors", "FirmwareError"),
    "ForeignFile": ("errors", "ForeignFile"),
    "Gap": ("decode.events", "Gap"),
    "Hello": ("decode.bodies", "Hello"),
    "Judgement": ("analysis.kernel_findings", "Judgement"),
    "Law": ("analysis.kernel_findings", "Law"),
    "LawVerdict": ("analysis.kernel_findings", "Verdict"),
    "LinkBusy": ("errors", "LinkBusy"),
    "LinkDenied": ("errors", "LinkDenied"),
    "LinkError": ("errors", "LinkError"),
    "LinkLost": ("errors", "LinkLost"),
    "LinkMissing": ("errors", "LinkMissing"),
    "LinkSilent": ("errors", "LinkSilent"),
    "NativeMismatch": ("errors", "NativeMismatch"),
    "NotATape": ("errors", "NotATape"),
    "ObjectKind": ("protocol.wire", "ObjectKind"),
    "Outcome": ("answers.check", "Outcome"),
    "Parser": ("api.parser", "Parser"),
    "ParserReport": ("api.parser", "ParserReport"),
    "Plan": ("analysis.plan", "Plan"),
    "PlanOptions": ("analysis.plan", "PlanOptions"),
    "Policy": ("protocol.wire", "Policy"),
    "Progress": ("collector.collector", "Progress"),
    "ProtocolMismatch": ("errors", "ProtocolMismatch"),
    "Reply": ("decode.commands", "Reply"),
    "Report": ("formats.report", "Report"),
    "Selected": ("api.selected", "Selected"),
    "SpecError": ("answers.spec", "SpecError"),
    "Statistics": ("api.shown", "Statistics"),
    "StopReason": ("collector.collector", "StopReason"),
    "StreamStatus": ("control.client", "StreamStatus"),
    "Summary": ("analysis.summary", "Summary"),
    "Tape": ("api.tape", "Tape"),
    "TapeBalance": ("analysis.balance", "TapeBalance"),
    "TapeBusy": ("errors", "TapeBusy"),
    "TapeClosed": ("errors", "TapeClosed"),
    "TapeColumns": ("api.columns", "TapeColumns"),
    "TapeDamaged": ("errors", "TapeDamaged"),
    "TapeEmpty": ("errors", "TapeEmpty"),
    "TapeError": ("errors", "TapeError"),
    "TapeEvent": ("api.event", "TapeEvent"),
    "TapeIssue": ("tape.format", "TapeIssue"),
    "TapeMissing": ("errors", "TapeMissing"),
    "TapeVersion": ("errors", "TapeVersion"),
    "TapeWriteFailed": ("errors", "TapeWriteFailed"),
    "TargetError": ("errors", "TargetError"),
    "Task": ("model.kernel", "Task"),
    "TaskTimes": ("api.task", "TaskTimes"),
    "TickertapeError": ("errors", "TickertapeError"),
    "TraceError": ("errors", "TraceError"),
    "UsageError": ("errors", "UsageError"),
    "Value": ("api.event", "Value"),
    "Verdict": ("answers.check", "Verdict"),
    "Verdicts": ("api.shown", "Verdicts"),
    "Why": ("answers.why", "Why"),
    "Whys": ("api.shown", "Whys"),
    "capture": ("api.live", "capture"),
    "connect": ("api.live", "connect"),
    "open": ("api.tape", "open_tape"),
    "run": ("api.live", "run"),
}


def __getattr__(name: str) -> object:
    """Load a public name at its first use: importing numpy alone takes a tenth of a second."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tickertape' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - needed by the first name only

    module, attribute = _HOMES[name]
    value: object = getattr(import_module(f"tickertape.{module}"), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the names of the module, including public names not loaded yet."""
    return sorted({*globals(), *__all__})
