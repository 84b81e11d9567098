"""Check a tape against a specification: PASS, FAIL or UNKNOWN for each requirement.

    for verdict in check(reader, load(Path("timing.yaml"))):
        print(verdict.requirement.name, verdict.outcome)

FAIL is certain: no missing record can make it a PASS. UNKNOWN names the losses that may hide a
violation. A verdict is about the time from the first record of a boot to its last one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Final

from tickertape.analysis.balance import balance_of
from tickertape.answers import rules_events, rules_locks, rules_periods, rules_tasks
from tickertape.answers.commands import seconds, view_words
from tickertape.answers.observed import Observed
from tickertape.answers.places import known_names
from tickertape.answers.reading import parts_of
from tickertape.answers.rules import Boot, Rule, Tally
from tickertape.answers.rules_locks import OfSituations
from tickertape.answers.situations import NO_LIMIT
from tickertape.answers.spec import SpecError
from tickertape.answers.spec_kinds import KINDS, Type
from tickertape.answers.why import explain
from tickertape.model.entities import Kind
from tickertape.tape.shown_clock import ShownClock, shown_clocks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tickertape.analysis.balance import TapeBalance
    from tickertape.answers.places import Place
    from tickertape.answers.reading import Part
    from tickertape.answers.rules import Violation
    from tickertape.answers.spec import Requirement
    from tickertape.answers.why import Why
    from tickertape.decode.ticks import Clock
    from tickertape.model.entities import Entities
    from tickertape.tape.reader import TapeReader

EXPLAINED: Final = 3
"""Number of violations per requirement that are explained by `why`."""

_RULES: Final[Mapping[str, type[Rule]]] = {
    "response": rules_tasks.Response,
    "deadline": rules_tasks.Deadline,
    "latency": rules_tasks.Latency,
    "execution": rules_tasks.Execution,
    "blocking": rules_tasks.Blocking,
    "period": rules_periods.Period,
    "jitter": rules_periods.Jitter,
    "load": rules_tasks.Load,
    "service": rules_tasks.Service,
    "order": rules_events.Order,
    "never": rules_events.Never,
    "rate": rules_events.Rate,
    "exclusive": rules_events.Exclusive,
    "inversion": rules_locks.Inversion,
    "no_deadlock": rules_locks.Deadlock,
    "no_losses": rules_locks.Losses,
}
_OBJECTS: Final = {Kind.SEMAPHORE, Kind.MUTEX, Kind.EVENT, Kind.CHANNEL, Kind.SPINLOCK}
_KINDS_OF: Final[Mapping[Type, tuple[str, set[Kind]]]] = {
    Type.TASK: ("task", {Kind.TASK}),
    Type.TASK_OR_ANY: ("task", {Kind.TASK}),
    Type.CPU_OR_TASK: ("task", {Kind.TASK}),
    Type.INTERRUPT: ("interrupt", {Kind.INTERRUPT}),
    Type.OBJECT: ("object", _OBJECTS),
}


class Outcome(StrEnum):
    """Outcome of the check of a requirement."""

    PASS = "PASS"  # noqa: S105 - no password
    FAIL = "FAIL"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result for one requirement.

    Attributes:
        requirement: the requirement.
        checked: number of checks.
        count: number of violations.
        violations: the worst violations, the worst first.
        doubts: reasons why violations may be hidden.
        whys: explanation of the instance of each of the first violations, by place.
        clocks: clock of each boot, by boot number.
        shown: clock of the times that `print` shows for each boot.
    """

    requirement: Requirement
    checked: int
    count: int
    violations: Sequence[Violation]
    doubts: Sequence[str]
    whys: Mapping[Place, Why] = field(default_factory=dict)
    clocks: Mapping[int, Clock] = field(default_factory=dict)
    shown: Mapping[int, ShownClock] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome:
        """FAIL beats UNKNOWN beats PASS."""
        if self.count:
            return Outcome.FAIL
        return Outcome.UNKNOWN if self.doubts else Outcome.PASS

    def at(self, violation: Violation) -> str:
        """Return the time of a violation in seconds, as `print` shows it."""
        return seconds(self.shown[violation.epoch].ns(violation.ticks))

    def where(self, violation: Violation) -> str:
        """Return the board of a violation as the begin of a sentence; empty without boards."""
        return self.shown[violation.epoch].where

    def view_words(self, tape: str, *, stream: int | None = None) -> list[str]:
        """Return the words of the command that shows the worst violation; empty if none exists."""
        if not self.violations:
            return []
        worst = self.violations[0]
        why = self.whys.get(worst.place) if worst.place else None
        begin = worst.ticks if worst.begin is None else worst.begin
        ticks = (begin, worst.ticks) if why is None else (why.begin_ticks, why.end_ticks)
        task, epoch = why.task if why else "", worst.epoch
        clock = self.clocks[epoch]
        return view_words(tape, clock, ticks, epoch=epoch, task=task, stream=stream)

    def to_json(self) -> dict[str, object]:
        """Return JSON values; docs/check.md lists the keys."""
        return {
            "name": self.requirement.name,
            "place": str(self.requirement.place),
            "requirement": self.requirement.sentence,
            "outcome": self.outcome.value,
            "checked": self.checked,
            "violation_count": self.count,
            "violations": [self._violation(one) for one in self.violations],
            "doubts": list(self.doubts),
        }

    def _violation(self, one: Violation) -> dict[str, object]:
        found = self.whys.get(one.place) if one.place else None
        return {
            "epoch": one.epoch,
            "ticks": one.ticks,
            "ns": self.clocks[one.epoch].known_ns(one.ticks),
            "what": one.what,
            "why": found.to_json() if found else None,
        }


def check(
    reader: TapeReader,
    requirements: Sequence[Requirement],
    *,
    stream: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> list[Verdict]:
    """Check requirements against a tape in one pass; a second pass explains violations.

    Args:
        reader: the tape.
        requirements: the requirements of a specification.
        stream: judge by this stream; the default stream of each boot when None.
        on_progress: called now and then with the number of records read so far.

    Raises:
        SpecError: a task, interrupt or object of the specification is not on the tape.
    """
    balance = balance_of(reader, by_class=False)

    tallies = [Tally() for _ in requirements]
    entities = judge(
        reader,
        balance,
        partial(rules_of, requirements),
        tallies,
        stream=stream,
        on_progress=on_progress,
        watch_ns=watch_of(requirements),
    )
    is_whole = not balance.total.lost and not balance.unknown_losses
    is_whole = is_whole and not any(one.first_ordinal for one in balance.rings)
    for one, tally in zip(requirements, tallies, strict=True):
        _check_names(one, tally, entities, is_whole=is_whole)
        if not tally.checked:
            tally.doubt("nothing on the tape could be checked")
    return _explained(reader, requirements, tallies, stream)


def rules_of(requirements: Sequence[Requirement], boot: Boot) -> list[Rule]:
    """Return the rule of each requirement for a boot."""
    return [_RULES[one.kind](one, boot) for one in requirements]


def watch_of(requirements: Sequence[Requirement]) -> int | None:
    """Return `watch_ns` of `parts_of` for requirements; none is about stretches."""
    watches = any(issubclass(_RULES[one.kind], OfSituations) for one in requirements)
    return NO_LIMIT if watches else None


def judge(  # noqa: PLR0913 - the options of a pass
    reader: TapeReader,
    balance: TapeBalance,
    rules_of: Callable[[Boot], Sequence[Rule]],
    tallies: Sequence[Tally],
    *,
    stream: int | None = None,
    on_progress: Callable[[int], None] | None = None,
    watch_ns: int | None = None,
) -> Entities | None:
    """Apply rules to each boot of a tape, in one pass.

    Args:
        reader: the tape.
        balance: balance of the tape.
        rules_of: builds the rules of a boot, in the same order for each boot.
        tallies: one tally per rule; receives the results of the rule for all boots, violations
            sorted worst first.
        stream: judge by this stream; the default stream of each boot when None.
        on_progress: called now and then with the number of records read so far.
        watch_ns: see `parts_of`.

    Returns:
        All entities; None when the tape has no boot.
    """
    entities: Entities | None = None
    rules: Sequence[Rule] = []
    boot: Boot | None = None
    observed, done, shown = Observed(), 0, shown_clocks(reader)
    for part in parts_of(reader, stream=stream, watch_ns=watch_ns):
        if boot is None or part.epoch != boot.epoch:
            observed, entities = Observed(), part.entities
            boot = replace(
                _boot(reader, balance, part, stream), observed=observed, common=shown[part.epoch]
            )
            rules = rules_of(boot)
        if part.columns is not None:
            observed.feed(part.columns)
            done += len(part.columns)
        boot.shown.feed(part.table, observed)
        for rule in rules:
            rule.feed(part)
        if part.columns is None:
            for rule, tally in zip(rules, tallies, strict=True):
                rule.end(observed, part)
                tally.add(rule.tally)
        if on_progress is not None:
            on_progress(done)
    for tally in tallies:
        tally.shorten()
    return entities


def _boot(reader: TapeReader, balance: TapeBalance, part: Part, stream: int | None) -> Boot:
    chosen = reader.default_stream(part.epoch) if stream is None else stream
    rings = [
        one for one in balance.rings if (one.ring.epoch, one.ring.stream) == (part.epoch, chosen)
    ]
    total = None
    for one in rings:
        total = one.balance if total is None else total + one.balance
    return Boot(
        epoch=part.epoch,
        clock=reader.clock(part.epoch),
        entities=part.entities,
        balance=total,
        final=bool(rings) and all(one.final for one in rings),
        unknown_losses=sum(one.unknown_losses for one in rings),
        is_whole=bool(rings) and not any(one.first_ordinal for one in rings),
    )


def _check_names(
    requirement: Requirement, tally: Tally, entities: Entities | None, *, is_whole: bool
) -> None:
    """Refuse names that are not on the tape; a name that may be lost becomes a doubt.

    Raises:
        SpecError: there is no such name, and nothing of the tape is missing.
    """
    kind = KINDS[requirement.kind]
    for key, what in {requirement.kind: kind.subject, **kind.keys}.items():
        if what not in _KINDS_OF or key not in requirement.values:
            continue
        value, (noun, kinds) = str(requirement.values[key]), _KINDS_OF[what]
        if (what is Type.TASK_OR_ANY and value == "any") or (
            what is Type.CPU_OR_TASK and value.isdecimal()
        ):
            continue
        mine = [one for one in entities or () if one.kind in kinds]
        if any(one.is_called(value) for one in mine):
            continue
        known = [one.name for one in mine]
        advice = known_names(value, known)
        if is_whole and any(not name.startswith("thread ") for name in known):
            place = requirement.places[key]
            raise SpecError(f"{place}: no {noun} on the tape is called {value}", advice)
        tally.doubt(f"no {noun} on the tape is called {value}; its name may be missing; {advice}")


def _explained(
    reader: TapeReader,
    requirements: Sequence[Requirement],
    tallies: Sequence[Tally],
    stream: int | None,
) -> list[Verdict]:
    places = {
        one.place: None
        for tally in tallies
        for one in tally.violations[:EXPLAINED]
        if one.place is not None
    }
    answers = explain(reader, list(places), stream=stream) if places else []
    whys = dict(zip(places, answers, strict=True))
    clocks = {epoch: reader.clock(epoch) for epoch in reader.epochs}
    shown = shown_clocks(reader)
    return [
        Verdict(
            requirement,
            tally.checked,
            tally.count,
            tally.violations,
            tally.doubts,
            whys,
            clocks,
            shown,
        )
        for requirement, tally in zip(requirements, tallies, strict=True)
    ]
