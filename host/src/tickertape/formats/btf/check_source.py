"""Checks the source of each event: its type, and whether it runs or was triggered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.formats.btf.check_process import said
from tickertape.formats.btf.tables import POLLING, PROCESSES, RUNNING, Profile

if TYPE_CHECKING:
    from tickertape.formats.btf.check_header import Header
    from tickertape.formats.btf.check_process import ProcessCheck
    from tickertape.formats.btf.findings import Findings
    from tickertape.formats.btf.lines import BtfEvent
    from tickertape.formats.btf.tables import Rule

_SIMULATION = frozenset({"sim", "simulation", "system"})
_STRICT_ACTIVATION = (2, 1, 4)
"""First version in which a process may not activate a process."""


class SourceCheck:
    """Learns the type of every entity and checks the sources of events against it.

    Attributes:
        types: known types of entities, by name.
    """

    def __init__(
        self, findings: Findings, header: Header, profile: Profile, processes: ProcessCheck
    ) -> None:
        """Create a check that knows the types in the meta section."""
        self.types = dict(header.types)
        self._findings = findings
        self._version = header.version or (99, 0, 0)
        self._is_old = profile is Profile.OLD
        self._processes = processes
        self._triggered: dict[str, int | None] = {}
        # Stimuli that acted without a trigger so far: line, instance, text of the finding.
        self._untriggered: dict[str, tuple[int, int | None, str]] = {}
        self._has_processes = False
        # Sources of unknown type: first line, count, and whether stimuli may do all they did.
        self._strangers: dict[str, tuple[int, int, bool]] = {}

    def forget(self) -> None:
        """Forget earlier triggers after a loss or reset, and report stimuli without one."""
        self._triggered.clear()
        self._tell_untriggered()

    def take(self, event: BtfEvent, rule: Rule) -> bool:
        """Check the source of an event; return whether its type is allowed, as far as known."""
        self._learn(event)
        allowed = rule.old if self._is_old else rule.new
        is_sound = "ANY" in allowed or self._check(event, allowed)
        if event.type == "STI":
            self._trigger(event)
        elif "STI" in allowed:
            self._check_triggered(event)
        return is_sound

    def finish(self) -> None:
        """Report stimuli without a trigger, and sources that never appeared as a process."""
        self._tell_strange_stimuli()
        self._tell_untriggered()
        if not self._has_processes:
            return
        for name, (line, count, _) in self._strangers.items():
            if self.types.get(name) not in PROCESSES:
                more = f", and {count - 1} times more" if count > 1 else ""
                self._findings.error(
                    line,
                    "source-unknown",
                    f"{name} is a source here{more}, but no process of that name is ever activated "
                    "or runs",
                )

    def _tell_strange_stimuli(self) -> None:
        """Report sources that acted only as stimuli may: their trigger is late or missing."""
        for name, (line, _, may_be_stimulus) in list(self._strangers.items()):
            type_ = self.types.get(name)
            if not may_be_stimulus or type_ not in {None, "STI"}:
                continue
            del self._strangers[name]
            if type_ == "STI" and not self._is_old:
                text = f"{name} acts before it is triggered"
                self._findings.error(line, "trigger-first", text)
            else:
                self._findings.warn(line, "trigger-first", f"{name} acts, but was not triggered")

    def _tell_untriggered(self) -> None:
        for line, _, text in self._untriggered.values():
            self._findings.warn(line, "trigger-first", text)
        self._untriggered.clear()

    def _learn(self, event: BtfEvent) -> None:
        self._has_processes |= event.type in PROCESSES
        known = self.types.setdefault(event.target, event.type)
        if known != event.type and not {known, event.type} <= {"SIM", "SYS"}:
            self._findings.error(
                event.line,
                "entity-type",
                f"{event.target} is of type {event.type} here, but {known} elsewhere; a name is of "
                "one type",
            )

    def _check(self, event: BtfEvent, allowed: frozenset[str]) -> bool:
        """Check the source of an event; return whether its type is allowed, as far as known."""
        if event.source == event.target and "SELF" in allowed:
            if event.source_instance != event.instance:
                self._not_itself(event, ", so that both instances are equal")
        elif event.source == event.target and event.event == "activate" and self._is_old:
            self._findings.warn(event.line, "dialect-source", f"{event.target} activates itself")
        elif allowed == {"SELF"}:
            self._not_itself(event, "")
        else:
            return self._check_type(event, self._type_of(event.source, allowed), allowed)
        return True

    def _check_type(self, event: BtfEvent, type_: str | None, allowed: frozenset[str]) -> bool:
        if type_ is None:
            self._stranger(event, may_be_stimulus="STI" in allowed)
        elif type_ in PROCESSES and {"P", "P!", type_, f"{type_}!"} & allowed:
            if {"P!", f"{type_}!"} & allowed:
                self._check_running(event)
        elif type_ not in allowed:
            self._wrong_type(event, type_, allowed)
            return False
        elif type_ in {"C", "SIM"}:
            self._check_source_instance(event, type_)
        return True

    def _not_itself(self, event: BtfEvent, why: str) -> None:
        text = f"{event.event} comes from {event.target} itself{why}"
        self._findings.error(event.line, "source-self", text)

    def _type_of(self, name: str, allowed: frozenset[str]) -> str | None:
        """Return the type of a source; if unknown and only one type is allowed, store that one."""
        known = self.types.get(name)
        if known is not None:
            return known
        if name.lower() in _SIMULATION:
            return "SIM"
        for type_ in ("C", "SCHED"):
            if allowed == {type_}:
                self.types[name] = type_
                return type_
        if allowed == {"STI"}:
            self.types[name] = "STI"
            return "STI"
        return None

    def _stranger(self, event: BtfEvent, *, may_be_stimulus: bool) -> None:
        line, count, before = self._strangers.get(event.source, (event.line, 0, True))
        self._strangers[event.source] = (line, count + 1, before and may_be_stimulus)

    def _wrong_type(self, event: BtfEvent, type_: str, allowed: frozenset[str]) -> None:
        wanted = " or ".join(sorted(name.rstrip("!") for name in allowed))
        text = (
            f"{event.event} of type {event.type} comes from {wanted}, but {event.source} is of "
            f"type {type_}"
        )
        is_early = event.event == "activate" and self._version < _STRICT_ACTIVATION
        is_simulation = type_ == "SIM" and event.type == "STI"
        if (is_early and type_ in PROCESSES) or is_simulation:
            self._findings.warn(event.line, "dialect-source", text)
        else:
            self._findings.error(event.line, "source-type", text)

    def _check_source_instance(self, event: BtfEvent, type_: str) -> None:
        wanted = None if type_ == "SIM" and self._is_old else 0
        if event.source_instance != wanted:
            report = self._findings.warn if self._is_old else self._findings.error
            report(
                event.line,
                "source-instance",
                f"the instance of {event.source} is written {-1 if wanted is None else 0}",
            )

    def _check_running(self, event: BtfEvent) -> None:
        key = (event.source, event.source_instance)
        state = self._processes.instances.state(key)
        # A polling process executes its runnables; they are suspended when it is parked.
        is_parked = event.type == "R" and event.event in {"suspend", "resume"}
        if state is not None and state != RUNNING and not (is_parked and state == POLLING):
            # Versions up to 2.1 do not order the events of a process that leaves its core.
            is_late = self._is_old and (event.type, event.event) == ("R", "suspend")
            is_late = is_late and self._processes.has_just_left(key, event.time)
            report = self._findings.warn if is_late else self._findings.error
            report(
                event.line,
                "source-not-running",
                f"{event.event} of {event.target} needs {said(key)} to be RUNNING, but it is "
                f"{state}",
            )
        elif state is None and self._processes.instances.is_too_new(key):
            self._findings.error(
                event.line, "source-not-running", f"{said(key)} was never activated"
            )

    def _trigger(self, event: BtfEvent) -> None:
        """Check the instance number of a trigger, and a stimulus that acted before it."""
        before = self._triggered.get(event.target)
        if before is not None and event.instance is not None and event.instance != before + 1:
            self._findings.error(
                event.line,
                "instance",
                f"the instance after {event.target} ({before}) is number {event.instance}, not "
                f"{before + 1}",
            )
        self._triggered[event.target] = event.instance
        line, acted, text = self._untriggered.pop(event.target, (0, None, ""))
        if line:
            is_early = acted is not None and (event.instance or 0) <= acted and not self._is_old
            report = self._findings.error if is_early else self._findings.warn
            report(line, "trigger-first", text)

    def _check_triggered(self, event: BtfEvent) -> None:
        if self.types.get(event.source) != "STI":
            return
        number = event.source_instance
        if event.source not in self._triggered:
            text = f"{event.source} acts ({event.event}), but was not triggered before"
            if event.source in self._untriggered:
                self._findings.warn(event.line, "trigger-first", text)
            else:
                self._untriggered[event.source] = (event.line, number, text)
            return
        newest = self._triggered[event.source]
        if newest is not None and number is not None and number > newest:
            self._findings.error(
                event.line,
                "trigger-first",
                f"{said((event.source, number))} acts ({event.event} of {event.target}) before it "
                "is triggered",
            )
