"""Checks a file against the format: syntax, order, sources, state machines, and their consistency.

    report = check_btf(Path("X.btf"), profile=None, strict=False)

A finding has a line number, the name of its rule, and an explanation. A trace may begin at any
moment: the first event of an instance defines its state. The comments `# loss` (missing records)
and `# reset` (reset of the target) make all states unknown again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.errors import ForeignFile
from tickertape.formats.btf.check_header import MAPPINGS, HeaderCheck
from tickertape.formats.btf.check_process import ProcessCheck, said
from tickertape.formats.btf.check_semaphore import SemaphoreCheck
from tickertape.formats.btf.check_source import SourceCheck
from tickertape.formats.btf.findings import Findings
from tickertape.formats.btf.lines import BadLine, Blind, BtfEvent, BtfLines, Parameter, TableRow
from tickertape.formats.btf.tables import (
    CORE_EVENTS,
    INSTANCEABLE,
    LOSS_BEGINS,
    LOSS_ENDS,
    OLD_TYPES,
    PROCESSES,
    RESET,
    RULES,
    TYPE_DIALECTS,
    TYPES,
    Note,
    Profile,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tickertape.formats.btf.check_header import Header
    from tickertape.formats.btf.tables import Rule

_MOST_ENTITIES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Result of a check.

    Attributes:
        profile: the rules that were applied.
        version: version in the file; empty without one.
        events: number of events with valid syntax.
        blind: number of losses and resets, after which all states are unknown.
        findings: findings and warnings.
    """

    profile: Profile
    version: str
    events: int
    blind: int
    findings: Findings


def check_btf(
    path: Path | str,
    *,
    profile: Profile | None = None,
    strict: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> CheckReport:
    """Check a file. Memory depends on the number of entities, at most 1 000 000.

    Args:
        path: the file, plain or gzip.
        profile: rules to apply; None for the rules of the file's version.
        strict: whether dialects and ignored recommendations are findings.
        on_progress: called at intervals with the number of events.

    Raises:
        TapeMissing: the file cannot be opened.
        ForeignFile: the file is empty, not text, damaged, has too many entities, or has neither a
            version nor an event.
    """
    lines = BtfLines(path)
    checker = _Checker(Findings(strict), profile)
    for item in lines.items():
        checker.take(item)
        if on_progress is not None and checker.events % 10_000 == 0:
            on_progress(checker.events)
    checker.finish()
    if not checker.events and checker.header.version is None:
        raise ForeignFile(
            f"{lines.path} has neither #version nor any event",
            "name a trace in the Best Trace Format",
        )
    return CheckReport(
        checker.profile,
        checker.header.values.get("version", ""),
        checker.events,
        checker.blind,
        checker.findings,
    )


class _Checker:
    """Checks the lines of one file."""

    def __init__(self, findings: Findings, profile: Profile | None) -> None:
        self.findings = findings
        self.events = 0
        self.blind = 0
        self._losses = 0
        self._wanted = profile
        self._header = HeaderCheck(findings)
        self._is_begun = False
        self._time = 0
        self._notes = {Note.NONE: self._no_note, Note.VALUE: self._value, Note.TASK: self._owner}

    @property
    def header(self) -> Header:
        return self._header.header

    @property
    def profile(self) -> Profile:
        return self._wanted or self.header.profile

    def take(self, item: BtfEvent | Parameter | TableRow | Blind | BadLine) -> None:
        if isinstance(item, BtfEvent):
            self.events += 1
            self._begin()
            self._event(item)
        elif isinstance(item, Parameter):
            self._check_late_mapping(item)
            self._header.take(item, events=self.events)
        elif isinstance(item, TableRow):
            self._header.take_row(item)
        elif isinstance(item, BadLine):
            self.findings.error(item.line, item.rule, item.why)
        else:
            self._take_mark(item)

    def finish(self) -> None:
        self._header.finish(self.profile)
        if self._is_begun:
            self._sources.finish()
            self._semaphores.finish()

    def _begin(self) -> None:
        """Create the checks at the first event, because the version is known then."""
        if self._is_begun:
            return
        self._is_begun = True
        is_new = self.profile is Profile.NEW
        self._processes = ProcessCheck(self.findings, strictly=is_new)
        self._semaphores = SemaphoreCheck(self.findings, self.profile)
        self._sources = SourceCheck(self.findings, self.header, self.profile, self._processes)

    def _check_late_mapping(self, item: Parameter) -> None:
        """Report a mapping that follows events of the entity it maps (from 2.2 on)."""
        if not self._is_begun or self.profile is Profile.OLD:
            return
        if item.key.lower() in MAPPINGS:
            for name in item.value.split(maxsplit=1):
                if name in self._sources.types:
                    text = f"#{item.key} follows events of {name[:40]}"
                    self.findings.error(item.line, "header-mapping", text)
                    return

    def _take_mark(self, item: Blind) -> None:
        """Forget all states at a loss or reset, and count the losses that have not ended."""
        is_end = item.text.startswith(LOSS_ENDS)
        self.blind += not is_end
        if item.text.startswith(LOSS_BEGINS):
            self._losses += 1
        elif is_end:
            self._losses = max(self._losses - 1, 0)
        elif item.text.startswith(RESET):
            self._losses = 0
        if self._is_begun:
            self._forget()
            self._sources.forget()

    def _forget(self) -> None:
        self._processes.forget()
        self._semaphores.forget()

    def _event(self, read: BtfEvent) -> None:
        if read.time < self._time:
            self.findings.error(
                read.line, "time-order", f"time {read.time} comes after {self._time}"
            )
        self._time = read.time
        if self._losses:
            self._forget()
        event = self._resolved(read)
        rule = self._rule(event)
        if rule is None:
            return
        self._instances(event)
        is_sound = self._sources.take(event, rule)
        check = self._notes.get(rule.note)
        if check is not None:
            check(event)
        if event.type in PROCESSES:
            self._processes.take(event, is_sound=is_sound)
        elif event.type == "R":
            self._processes.runnables.take(event)
        elif event.type == "SEM":
            self._semaphores.take(event)
        if len(self._sources.types) > _MOST_ENTITIES:
            raise ForeignFile(
                f"line {event.line}: more than {_MOST_ENTITIES} entities",
                "cut the trace into smaller ones",
            )

    def _resolved(self, event: BtfEvent) -> BtfEvent:
        """Replace IDs by names, and old names of types by the current ones."""
        header = self.header
        type_ = header.type_names.get(event.type, event.type)
        if type_ in TYPE_DIALECTS and not (type_ == "P" and self.profile is Profile.NEW):
            self.findings.warn(
                event.line, "dialect-type", f"type {type_} is written {TYPE_DIALECTS[type_]} now"
            )
            type_ = TYPE_DIALECTS[type_]
        if type_ == event.type and not header.names:
            return event
        names = header.names
        return BtfEvent(
            *(event.line, event.time, names.get(event.source, event.source)),
            *(event.source_instance, type_, names.get(event.target, event.target)),
            *(event.instance, event.event, event.note),
        )

    def _rule(self, event: BtfEvent) -> Rule | None:
        known = OLD_TYPES if self.profile is Profile.OLD else TYPES
        if event.type not in known:
            text = f"there is no type {event.type[:40]!r} in {self.profile.value}"
            self.findings.error(event.line, "unknown-type", text)
            return None
        rule = RULES.get((event.type, event.event))
        if rule is not None and rule.sources(self.profile):
            return rule
        text = f"{event.event[:40]!r} is not an event of type {event.type} in {self.profile.value}"
        if event.type == "C" and event.event in CORE_EVENTS:
            self.findings.warn(event.line, "unspecified-event", f"{text}, but tools write it")
        else:
            self.findings.error(event.line, "unknown-event", text)
        return None

    def _instances(self, event: BtfEvent) -> None:
        if event.type in INSTANCEABLE:
            if event.instance is None:
                self.findings.warn(
                    event.line, "dialect-instance", f"{event.target} has no instance number"
                )
        elif event.instance is None and self.profile is Profile.NEW:
            self.findings.warn(
                event.line, "dialect-instance", f"the instance of {event.target} is written 0"
            )
        elif event.instance:
            self.findings.error(
                event.line,
                "instance",
                f"{event.target} is of type {event.type}, which has no instances, but is number "
                f"{event.instance}",
            )

    def _no_note(self, event: BtfEvent) -> None:
        if event.note:
            text = f"{event.event} has no note, but here is {event.note[:40]!r}"
            self.findings.warn(event.line, "note", text)

    def _value(self, event: BtfEvent) -> None:
        if event.event == "write" and not event.note and self.profile is Profile.OLD:
            self.findings.error(event.line, "note", "write needs the new value in its note")

    def _owner(self, event: BtfEvent) -> None:
        if not event.note:
            self.findings.error(
                event.line, "note", "set_event needs the task that owns the event in its note"
            )
            return
        type_ = self._sources.types.get(event.note)
        if type_ not in {None, "T"}:
            self.findings.error(
                event.line,
                "note",
                f"the note of set_event is a task, but {said((event.note, None))} is of type "
                f"{type_}",
            )
