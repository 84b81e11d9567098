"""Who may be the cause of what, and whether it can be: types of sources, running, triggered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.formats.btf.check_process import said
from tickertape.formats.btf.tables import PROCESSES, RUNNING, Profile

if TYPE_CHECKING:
    from tickertape.formats.btf.check_header import Header
    from tickertape.formats.btf.check_process import ProcessCheck
    from tickertape.formats.btf.findings import Findings
    from tickertape.formats.btf.lines import BtfEvent
    from tickertape.formats.btf.tables import Rule

_SIMULATION = frozenset({"sim", "simulation", "system"})
_STRICT_ACTIVATION = (2, 1, 4)
"""Before this version processes could activate processes."""


class SourceCheck:
    """Learns the type of every entity, and compares.

    Attributes:
        types: type of each entity by its name, as far as known.
    """

    def __init__(
        self, findings: Findings, header: Header, profile: Profile, processes: ProcessCheck
    ) -> None:
        """Begin with the types of the meta section."""
        self.types = dict(header.types)
        self._findings = findings
        self._version = header.version or (99, 0, 0)
        self._is_old = profile is Profile.OLD
        self._processes = processes
        self._triggered: dict[str, int | None] = {}
        self._has_processes = False
        # Sources not yet known to be processes: line and count.
        self._strangers: dict[str, tuple[int, int]] = {}

    def forget(self) -> None:
        """The states of before do not hold any more."""
        self._triggered.clear()

    def take(self, event: BtfEvent, rule: Rule) -> None:
        """Take an event."""
        self._learn(event)
        allowed = rule.old if self._is_old else rule.new
        if "ANY" not in allowed:
            self._check(event, allowed)
        if event.type == "STI":
            self._trigger(event)
        elif event.event == "activate":
            self._check_triggered(event)

    def finish(self) -> None:
        """Nothing follows: who was never seen as a process was none."""
        if not self._has_processes:
            return
        for name, (line, count) in self._strangers.items():
            if self.types.get(name) not in PROCESSES:
                more = f", and {count - 1} times more" if count > 1 else ""
                self._findings.error(
                    line,
                    "source-unknown",
                    f"{name} is a source here{more}, but no process of that name is ever activated "
                    "or runs",
                )

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

    def _check(self, event: BtfEvent, allowed: frozenset[str]) -> None:
        if event.source == event.target and "SELF" in allowed:
            if event.source_instance != event.instance:
                self._not_itself(event, ", so that both instances are equal")
            return
        if event.source == event.target and event.event == "activate" and self._is_old:
            self._findings.warn(event.line, "dialect-source", f"{event.target} activates itself")
            return
        if allowed == {"SELF"}:
            self._not_itself(event, "")
            return
        self._check_type(event, self._type_of(event.source, allowed), allowed)

    def _check_type(self, event: BtfEvent, type_: str | None, allowed: frozenset[str]) -> None:
        if type_ is None:
            self._stranger(event)
        elif type_ in PROCESSES and {"P", "P!", type_, f"{type_}!"} & allowed:
            if {"P!", f"{type_}!"} & allowed:
                self._check_running(event)
        elif type_ not in allowed:
            self._wrong_type(event, type_, allowed)
        elif type_ in {"C", "SIM"}:
            self._check_source_instance(event, type_)

    def _not_itself(self, event: BtfEvent, why: str) -> None:
        text = f"{event.event} comes from {event.target} itself{why}"
        self._findings.error(event.line, "source-self", text)

    def _type_of(self, name: str, allowed: frozenset[str]) -> str | None:
        """Return the type of a source; what can be only one thing is that from now on."""
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

    def _stranger(self, event: BtfEvent) -> None:
        line, count = self._strangers.get(event.source, (event.line, 0))
        self._strangers[event.source] = (line, count + 1)

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
        if state is not None and state != RUNNING:
            self._findings.error(
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
        """A stimulus happens; its instances are counted by that."""
        before = self._triggered.get(event.target)
        if before is not None and event.instance is not None and event.instance != before + 1:
            self._findings.error(
                event.line,
                "instance",
                f"the instance after {event.target} ({before}) is number {event.instance}, not "
                f"{before + 1}",
            )
        self._triggered[event.target] = event.instance

    def _check_triggered(self, event: BtfEvent) -> None:
        if self.types.get(event.source) != "STI":
            return
        if event.source not in self._triggered:
            self._findings.warn(
                event.line, "trigger-first", f"{event.source} activates, but was not triggered"
            )
            return
        newest, number = self._triggered[event.source], event.source_instance
        if newest is not None and number is not None and number > newest:
            self._findings.error(
                event.line,
                "trigger-first",
                f"{said((event.source, number))} activates {event.target} before it is triggered",
            )
