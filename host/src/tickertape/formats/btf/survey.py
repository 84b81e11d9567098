"""Collects the entities of a system trace, and assigns their numbers and names on a tape."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tickertape.errors import ForeignFile
from tickertape.formats.btf.check_header import Header, HeaderCheck
from tickertape.formats.btf.findings import Findings
from tickertape.formats.btf.lines import Blind, BtfEvent, Parameter, TableRow
from tickertape.formats.btf.tables import (
    ALLOCATE,
    OLD_TYPES,
    ON_CORE,
    PROCESSES,
    RULES,
    TYPE_DIALECTS,
)
from tickertape.protocol.wire import MAX_CPUS, NAME, ObjectKind

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
_LAST_NUMBER: Final = re.compile(r"([0-9]{1,6})[^0-9]*\Z")
_MOST_LIVING: Final = 64


@dataclass(slots=True)
class Survey:
    """Result of the first reading of a file.

    Attributes:
        header: the meta section.
        events: number of events with valid syntax.
        types: type of each entity, by name.
        cores: CPU number of each core, by name.
        numbers: number of each other entity on the tape, by name: thread, exception or address.
        counting: counting semaphores; the tape has the others as mutexes.
        spinning: spin locks: semaphores without a count or queue.
        askers: processes that use each semaphore.
        limits: largest number of holders of a semaphore, as far as the file shows it.
        counted: semaphores with events of a count or queue.
        declared: cores in the tables, and targets of events of type C.
        in_place: number of events in which a name is the source where a core belongs.
        allocating: names that are the source of an event that gives a process a core.
        acting: names that are the source of an event that only a process can cause.
        starts: core of each process that acts before it gets one: it ran when the trace began.
        placed: processes with an event whose source is their core.
        living: instances of each task that have started and not ended, with the thread number
            within the task (slot) of each; 1 is the first.
        slots: slot of each instance that overlaps an earlier instance of its task, from 2.
        last_time: latest time, in the unit of the file.
        stimulating: sources that activate processes, set events or write signals as stimuli do.
        served: cores on which each interrupt starts.
        lines: last line with an event of each core.
        dialects: number of unusual constructs, by description.
    """

    header: Header
    events: int = 0
    types: dict[str, str] = field(default_factory=dict)
    cores: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    counting: set[str] = field(default_factory=set)
    spinning: set[str] = field(default_factory=set)
    askers: dict[str, set[str]] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)
    declared: dict[str, None] = field(default_factory=dict)
    in_place: Counter[str] = field(default_factory=Counter)
    allocating: set[str] = field(default_factory=set)
    acting: dict[str, None] = field(default_factory=dict)
    starts: dict[str, str] = field(default_factory=dict)
    placed: set[str] = field(default_factory=set)
    living: dict[str, dict[int, int]] = field(default_factory=dict)
    slots: dict[tuple[str, int | None], int] = field(default_factory=dict)
    last_time: int = 0
    stimulating: set[str] = field(default_factory=set)
    served: dict[str, set[str]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    dialects: Counter[str] = field(default_factory=Counter)

    @property
    def cpu_count(self) -> int:
        """Number of CPUs of the tape: one more than the highest CPU number."""
        return max(self.cores.values(), default=0) + 1

    def is_seen_again(self, cpu: int, line: int) -> bool:
        """Return whether a CPU has events after a line, or no CPU has any."""
        last = {number: self.lines.get(core, 0) for core, number in self.cores.items()}
        return cpu in last and (last[cpu] > line or max(last.values()) < line)

    @property
    def creator(self) -> str:
        """Creator in the meta section, at most 200 characters; `BTF` without one."""
        return self.header.values.get("creator", "")[:_NAME_BYTES] or "BTF"

    def resolved(self, event: BtfEvent) -> tuple[str, str, str]:
        """Return the names of source, type and target of an event as newer versions write them."""
        header = self.header
        type_ = header.type_names.get(event.type, event.type)
        type_ = TYPE_DIALECTS.get(type_, type_)
        names = header.names
        if not names:
            return event.source, type_, event.target
        return names.get(event.source, event.source), type_, names.get(event.target, event.target)

    def name_bodies(self) -> Iterator[bytes]:
        """Yield bodies of NAME frames for all entities in `numbers`."""
        for name, number in self.numbers.items():
            type_ = self.types.get(name, "T")  # a further thread of a task has no type
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
            # `export btf` adds this prefix to interrupts.
            text = name.removeprefix("ISR_") if type_ == "I" else name.replace("\n", "#")
            yield body + text.encode()[:_NAME_BYTES]


def survey_of(lines: BtfLines) -> Survey:
    """Read a whole file and number its entities.

    Raises:
        ForeignFile: the file has more than 100 000 entities.
    """
    header = HeaderCheck(Findings(strict=False))
    survey = Survey(header.header)
    for item in lines.items():
        if isinstance(item, BtfEvent):
            survey.events += 1
            _look(survey, item)
        elif isinstance(item, Blind):
            survey.living.clear()
        elif isinstance(item, Parameter):
            header.take(item, events=survey.events)
        elif isinstance(item, TableRow):
            header.take_row(item)
    _number(survey)
    return survey


def _look(survey: Survey, event: BtfEvent) -> None:
    source, type_, target = survey.resolved(event)
    if event.time < survey.last_time:
        survey.dialects["times that step back, held"] += 1
    survey.last_time = max(survey.last_time, event.time)
    if event.type in TYPE_DIALECTS:
        survey.dialects[f"type {event.type}, read as {type_}"] += 1
    if type_ not in OLD_TYPES or (type_ == "C" and target not in survey.types):
        if type_ == "C":
            survey.declared.setdefault(target)
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
    if type_ == "T" and event.instance is not None:
        _follow_instance(survey, target, event.instance, event.event)
    _look_at_source(survey, source, type_, target, event)


def _follow_instance(survey: Survey, name: str, instance: int, event: str) -> None:
    """Give overlapping instances of a task slots: a thread executes one instance at a time."""
    living = survey.living.setdefault(name, {})
    if event in {"start", "resume"}:
        living.setdefault(instance, 1)
    if instance not in living:
        return
    if len(living) > 1:
        instances = list(living)
        for later in instances[instances.index(instance) + 1 :]:
            if (name, later) not in survey.slots:
                used = set(living.values())
                slot = next(slot for slot in range(2, _MOST_LIVING + 3) if slot not in used)
                living[later] = survey.slots[name, later] = slot
    first = next(iter(living))
    # Keep an ended instance while an earlier one lives, which later events may show.
    if len(living) > _MOST_LIVING or (event == "terminate" and instance == first):
        del living[first]


def _look_at_source(survey: Survey, source: str, type_: str, target: str, item: BtfEvent) -> None:
    event, line = item.event, item.line
    rule = RULES.get((type_, event))
    sources = frozenset() if rule is None else rule.old | rule.new
    if type_ == "I" and event == "start":
        survey.served.setdefault(target, set()).add(source)
    if type_ in PROCESSES and event in {"activate", "mtalimitexceeded"}:
        survey.stimulating.add(source)
    elif type_ in PROCESSES and "C" in sources:
        survey.in_place[source] += 1
        survey.lines[source] = line
        if event in ALLOCATE:
            survey.allocating.add(source)
        if target in survey.acting and target not in survey.placed and event in ON_CORE:
            survey.starts[target] = source
        survey.placed.add(target)
    elif source != target and sources & {"P", "P!", "T", "T!"} and "STI" not in sources:
        survey.acting.setdefault(source)
    elif type_ in {"EVENT", "SIG"} and "STI" in sources:
        survey.stimulating.add(source)


def _look_at_semaphore(survey: Survey, source: str, target: str, event: BtfEvent) -> None:
    if event.event == "requestsemaphore" and target not in survey.counted:
        survey.spinning.add(target)
    elif event.event in {"increment", "queued", "decrement", "waiting", "exclusivesemaphore"}:
        survey.counted.add(target)
        survey.spinning.discard(target)
    if source != target:
        survey.askers.setdefault(target, set()).add(source)
    if event.event in _COUNTING:
        survey.counting.add(target)
    if event.event in {"lock_used", "full"} and event.note and event.note.isdecimal():
        survey.limits[target] = min(int(event.note[:9]), 0xFFFF_FFFF)


def _number(survey: Survey) -> None:
    """Classify the entities after the whole file was read, and number them."""
    for name, type_ in survey.header.types.items():
        survey.types.setdefault(name, type_)
        if type_ == "C":
            survey.declared.setdefault(name)
    _number_cores(survey)
    for name in survey.acting:
        if name not in survey.cores and name not in _NO_PROCESS:
            survey.types.setdefault(name, "T")  # a task without events of its own
    for name in survey.stimulating:
        if name not in survey.cores and name not in _NO_PROCESS:
            survey.types.setdefault(name, "STI")  # a stimulus that is never triggered
    for name in survey.counted:
        # A mutex has an owner, which is not an interrupt.
        if any(survey.types.get(asker) == "I" for asker in survey.askers.get(name, ())):
            survey.counting.add(name)
    _give_numbers(survey)


def _number_cores(survey: Survey) -> None:
    """Determine which names are cores, and their CPU numbers."""
    strange = [name for name in survey.in_place if survey.types.get(name) in PROCESSES]
    others = [name for name in survey.in_place if name not in strange]
    if strange:
        survey.dialects["a process in place of its core"] += sum(
            survey.in_place[name] for name in strange
        )
        # Other sources of such events may be processes without events of their own.
        others = [] if survey.declared else [name for name in others if name in survey.allocating]
    names = list(dict.fromkeys([*survey.declared, *others]))
    found = [_LAST_NUMBER.search(name[-64:]) for name in names]
    numbers = [int(one[1]) for one in found if one is not None]
    if len(set(numbers)) == len(names):
        is_small = max(numbers, default=0) < MAX_CPUS
        ranks = numbers if is_small else [sorted(numbers).index(number) for number in numbers]
    else:
        ranks = list(range(len(names)))
    survey.cores.update(zip(names, ranks, strict=True))


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
    for name, slot in dict.fromkeys((name, slot) for (name, _), slot in survey.slots.items()):
        counts["T"] += 1
        survey.numbers[slot_name(name, slot)] = counts["T"]


def slot_name(name: str, slot: int) -> str:
    """Return the key of a task's thread in `numbers`; names in a file never contain a newline."""
    return name if slot == 1 else f"{name}\n{slot}"
