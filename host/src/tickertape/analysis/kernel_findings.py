"""Findings of the kernel laws so far, including those that later events may still withdraw.

Used by `kernel_laws`, which defines the laws. A detected fault is BROKEN, unless

* a CPU turns out to have lost records around it, which may have explained it;
* it depends on an unknown order of events of different CPUs (`EventOrder`). Then
  it is unknown at first, and becomes BROKEN when no later event can explain it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tickertape.analysis.event_order import Doer, EventOrder, Moment, Subject

SHOWN: Final = 20
SUSPECTED: Final = 256


class Law(Enum):
    """The laws, as defined by `kernel_laws`."""

    ONE_CPU = auto()
    ONE_OWNER = auto()
    MOST_URGENT = auto()
    READY_FIRST = auto()


class Verdict(Enum):
    """The verdict of a trace on a law."""

    HOLDS = auto()
    BROKEN = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Violation:
    """A moment at which a law was broken.

    Attributes:
        epoch: boot of the target within the tape.
        time_ticks: time of the moment.
        cpu: CPU number.
        what: description in words.
    """

    epoch: int
    time_ticks: int
    cpu: int
    what: str


@dataclass(slots=True)
class Judgement:
    """The result of a trace for one law.

    Attributes:
        held: number of checks at which it held.
        broken: number of checks at which it was broken.
        unknown: number of checks at which too little was known, plus one for each gap.
        violations: the first violations.
    """

    held: int = 0
    broken: int = 0
    unknown: int = 0
    violations: list[Violation] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        """BROKEN beats UNKNOWN beats HOLDS; a law that was never checked is unknown."""
        if self.broken:
            return Verdict.BROKEN
        return Verdict.HOLDS if self.held and not self.unknown else Verdict.UNKNOWN


@dataclass(frozen=True, slots=True)
class _Suspicion:
    """A fault that later events may explain.

    Attributes:
        law: the law that may be broken.
        violation: the possible violation.
        subjects: subjects on which the fault depends.
        moment: moment at which it was found.
    """

    law: Law
    violation: Violation
    subjects: tuple[Subject, ...]
    moment: Moment


class Findings:
    """Counts the findings in one tape, boot after boot."""

    def __init__(self) -> None:
        """Begin before the first event."""
        self.judgements: dict[Law, Judgement] = {law: Judgement() for law in Law}
        self._epoch = 0
        self._order: EventOrder | None = None
        self._time = 0
        self._cpu = 0
        self._seen: dict[int, int] = {}  # time of each CPU's last event
        self._recent: deque[tuple[Law, Violation, int]] = deque()  # with the time of the verdict
        self._suspected: deque[_Suspicion] = deque(maxlen=SUSPECTED)

    def begin_boot(self, epoch: int, order: EventOrder | None) -> None:
        """Begin a boot; `order` is None if events of different CPUs are in order."""
        self._epoch, self._order = epoch, order
        self._seen.clear()
        self._recent.clear()
        self._suspected.clear()

    def begin_event(self, cpu: int, time: int) -> None:
        """Store CPU and time of the next event."""
        self._time, self._cpu = time, cpu
        self._seen[cpu] = time

    def judge(self, law: Law, fault: str | None, *subjects: Subject, known: bool) -> None:
        """Count a check of a law.

        Args:
            law: the law.
            fault: description of the violation; None if none is known.
            subjects: subjects on which a fault depends.
            known: whether enough is known to decide that the law held.
        """
        judgement = self.judgements[law]
        if fault is None:
            judgement.held += known
            judgement.unknown += not known
            return
        violation = Violation(self._epoch, self._time, self._cpu, fault)
        if self._order is None or not subjects:
            self._accuse(law, violation)
            self._remember(law, violation)
            return
        judgement.unknown += 1
        if self._order.is_sure(*subjects):
            self._suspected.append(_Suspicion(law, violation, subjects, self._order.now))

    def explain(self, subject: Subject) -> None:
        """Drop suspected faults that the operation of the latest event may explain."""
        if self._order is not None and self._suspected:
            now = self._order.now
            left = [
                one
                for one in self._suspected
                if subject not in one.subjects or one.moment.is_before(now)
            ]
            self._suspected = deque(left, SUSPECTED)

    def conclude(self, doers: Iterable[Doer]) -> None:
        """Report suspected faults that no later event of these actors can explain."""
        if self._order is None or not self._suspected:
            return
        left, doers = [], list(doers)
        for one in self._suspected:
            if self._order.is_over(one.moment, doers):
                self.judgements[one.law].unknown -= 1
                self._accuse(one.law, one.violation)
                self._remember(one.law, one.violation)
            else:
                left.append(one)
        self._suspected = deque(left, SUSPECTED)

    def lose(self, cpu: int) -> None:
        """Withdraw what missing records of a CPU may explain; count a gap for each law."""
        for judgement in self.judgements.values():
            judgement.unknown += 1
        self._suspected.clear()
        self._take_back(cpu)

    def lose_rest(self) -> None:
        """Withdraw verdicts for the time in which other CPUs may have recorded more."""
        for cpu in self._seen:
            self._take_back(cpu)

    def _accuse(self, law: Law, violation: Violation) -> None:
        judgement = self.judgements[law]
        judgement.broken += 1
        if len(judgement.violations) < SHOWN:
            judgement.violations.append(violation)

    def _take_back(self, cpu: int) -> None:
        """Withdraw faults that operations of `cpu` since its last event may explain.

        These are faults on other CPUs and, if hooks lie outside of the kernel's locks, on `cpu`.
        """
        since = self._seen.get(cpu, 0)
        kept: deque[tuple[Law, Violation, int]] = deque()
        for law, violation, judged in self._recent:
            if judged < since or (self._order is None and violation.cpu == cpu):
                kept.append((law, violation, judged))
                continue
            judgement = self.judgements[law]
            judgement.broken -= 1
            judgement.unknown += 1
            judgement.violations = [one for one in judgement.violations if one is not violation]
        self._recent = kept

    def _remember(self, law: Law, violation: Violation) -> None:
        """Keep a violation for as long as a CPU may turn out to have lost records around it."""
        self._recent.append((law, violation, self._time))
        oldest = min(self._seen.values())
        while self._recent[0][2] < oldest:
            self._recent.popleft()
