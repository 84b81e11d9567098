"""What a system trace speaks of: its entities, and what they are called on a tape."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tickertape.errors import ForeignFile
from tickertape.formats.btf.check_header import Header, HeaderCheck
from tickertape.formats.btf.findings import Findings
from tickertape.formats.btf.lines import BtfEvent, Parameter, TableRow
from tickertape.formats.btf.tables import OLD_TYPES, PROCESSES, RULES, TYPE_DIALECTS
from tickertape.protocol.wire import NAME, ObjectKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape.formats.btf.lines import BtfLines

_MOST_ENTITIES: Final = 100_000
_FIRST_IRQ: Final = 16
_FIRST_OBJECT: Final = 0x1000_0000
_OBJECT_BYTES: Final = 16
_COUNTING: Final = frozenset({"used", "lock_used", "unlock_full"})
_NAME_BYTES: Final = 200
_NO_PROCESS: Final = frozenset({"SIM", "Sim", "Simulation", "System"})
_OBJECTS: Final = {
    "R": ObjectKind.RUNNABLE,
    "STI": ObjectKind.STIMULUS,
    "SIG": ObjectKind.SIGNAL,
    "EVENT": ObjectKind.FLAGS,
}


@dataclass(slots=True)
class Survey:
    """What the first reading found.

    Attributes:
        header: the meta section.
        events: events that could be read.
        types: type of each entity, by name.
        cores: number of the CPU that stands for each core, by name.
        numbers: what stands for each other entity on the tape: thread, exception or address.
        counting: semaphores, as opposed to mutexes.
        spinning: the others without a count: spin locks.
        limits: how many can have a semaphore at a time, as far as the file shows it.
        counted: semaphores that show counts or queues.
        resuming: names that have resumed a process, and nothing else so far: cores, or not.
        acting: names that do what only processes do.
        activating: stimuli that activate processes.
        dialects: in which ways the file is unusual, and how often.
    """

    header: Header
    events: int = 0
    types: dict[str, str] = field(default_factory=dict)
    cores: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    counting: set[str] = field(default_factory=set)
    spinning: set[str] = field(default_factory=set)
    limits: dict[str, int] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)
    resuming: dict[str, None] = field(default_factory=dict)
    acting: dict[str, None] = field(default_factory=dict)
    activating: set[str] = field(default_factory=set)
    dialects: Counter[str] = field(default_factory=Counter)

    @property
    def creator(self) -> str:
        """Who wrote the file."""
        return self.header.values.get("creator", "")[:_NAME_BYTES] or "BTF"

    def resolved(self, event: BtfEvent) -> tuple[str, str, str]:
        """Return source, type and target by name, as newer versions write them."""
        header = self.header
        type_ = header.type_names.get(event.type, event.type)
        type_ = TYPE_DIALECTS.get(type_, type_)
        names = header.names
        if not names:
            return event.source, type_, event.target
        return names.get(event.source, event.source), type_, names.get(event.target, event.target)

    def name_bodies(self) -> Iterator[bytes]:
        """Yield bodies of NAME frames for everything that has a number."""
        for name, number in self.numbers.items():
            type_ = self.types[name]
            kind: int = ObjectKind.THREAD
            if type_ == "I":
                kind = ObjectKind.IRQ
            elif type_ == "SEM":
                kind = ObjectKind.SEMAPHORE if name in self.counting else ObjectKind.MUTEX
            elif type_ != "T":
                kind = _OBJECTS[type_]
            limit = self.limits.get(name, 0) if kind == ObjectKind.SEMAPHORE else 0
            values = {"kind": kind, "state": 0, "priority": 0, "cpu": 0}
            body: bytes = NAME.build(values | {"id": number, "parent": limit})
            # Our exports mark an interrupt by the prefix.
            text = name.removeprefix("ISR_") if type_ == "I" else name
            yield body + text.encode()[:_NAME_BYTES]


def survey_of(lines: BtfLines) -> Survey:
    """Read a whole file.

    Raises:
        ForeignFile: it has more entities than a tape can name.
    """
    header = HeaderCheck(Findings(strict=False))
    survey = Survey(header.header)
    for item in lines.items():
        if isinstance(item, BtfEvent):
            survey.events += 1
            _look(survey, item)
        elif isinstance(item, Parameter):
            header.take(item, events=survey.events)
        elif isinstance(item, TableRow):
            header.take_row(item)
    _number(survey)
    return survey


def _look(survey: Survey, event: BtfEvent) -> None:
    source, type_, target = survey.resolved(event)
    if event.type in TYPE_DIALECTS:
        survey.dialects[f"type {event.type}, read as {type_}"] += 1
    if type_ not in OLD_TYPES or (type_ == "C" and target not in survey.types):
        if type_ == "C":
            survey.cores.setdefault(target, len(survey.cores))
        return
    survey.types.setdefault(target, type_)
    if len(survey.types) > _MOST_ENTITIES:
        raise ForeignFile(
            f"line {event.line}: more than {_MOST_ENTITIES} entities", "cut the trace"
        )
    if event.instance is None and type_ in {"T", "I", "R", "STI"}:
        survey.dialects["no instance number"] += 1
    if type_ == "SEM":
        _look_at_semaphore(survey, source, target, event)
    _look_at_source(survey, source, type_, target, event.event)


def _look_at_source(survey: Survey, source: str, type_: str, target: str, event: str) -> None:
    rule = RULES.get((type_, event))
    sources = frozenset() if rule is None else rule.old | rule.new
    if type_ in PROCESSES and event == "activate":
        survey.activating.add(source)
    elif type_ in PROCESSES and "C" in sources:
        if survey.types.get(source) in PROCESSES:
            survey.dialects["a process in the place of its core"] += 1
        elif source in survey.cores or event != "resume":
            survey.cores.setdefault(source, len(survey.cores))
        else:
            survey.resuming.setdefault(source)
    elif source != target and sources & {"P", "P!", "T", "T!"} and "STI" not in sources:
        survey.acting.setdefault(source)


def _look_at_semaphore(survey: Survey, source: str, target: str, event: BtfEvent) -> None:
    if event.event == "requestsemaphore" and target not in survey.counted:
        survey.spinning.add(target)
    elif event.event in {"increment", "queued", "decrement", "waiting"}:
        survey.counted.add(target)
        survey.spinning.discard(target)
        if survey.types.get(source) == "I":
            survey.counting.add(target)
    if event.event in _COUNTING:
        survey.counting.add(target)
    if event.event in {"lock_used", "full"} and event.note and event.note.isdecimal():
        survey.limits[target] = min(int(event.note[:9]), 0xFFFF_FFFF)


def _number(survey: Survey) -> None:
    """Decide what is only known at the end, and give everything a number."""
    for name, type_ in survey.header.types.items():
        survey.types.setdefault(name, type_)
        if type_ == "C":
            survey.cores.setdefault(name, len(survey.cores))
    if not any(text.startswith("a process") for text in survey.dialects):
        for name in survey.resuming:
            survey.cores.setdefault(name, len(survey.cores))
    for name in survey.acting:
        if name not in survey.cores and name not in _NO_PROCESS:
            survey.types.setdefault(name, "T")  # it is never seen to run
    _give_numbers(survey)


def _give_numbers(survey: Survey) -> None:
    counts: Counter[str] = Counter()
    for name, type_ in survey.types.items():
        if name in survey.cores:
            continue
        if type_ == "T":
            counts["T"] += 1
            survey.numbers[name] = counts["T"]
        elif type_ == "I":
            survey.numbers[name] = _FIRST_IRQ + counts["I"]
            counts["I"] += 1
        elif type_ == "SEM" or type_ in _OBJECTS:
            survey.numbers[name] = _FIRST_OBJECT + _OBJECT_BYTES * counts["object"]
            counts["object"] += 1
