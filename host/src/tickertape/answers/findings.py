"""Find faults, and what is worth a look, on a tape without a specification.

    for detection in find(reader):
        for finding in detection.findings:
            print(detection.detector, finding.what)

The detectors are rules of the same kind as those of `check`, so both agree. A finding is certain:
no missing record could explain it. A doubt of a detector names missing records that may hide more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.analysis.balance import balance_of
from tickertape.answers.check import judge
from tickertape.answers.commands import seconds, view_words
from tickertape.answers.rules import Tally
from tickertape.answers.rules_findings import Misses, Overload, Stack, Starvation, Storm
from tickertape.answers.rules_locks import AbandonedMutex, Deadlock, Inversion
from tickertape.answers.rules_wakeups import LostWakeup
from tickertape.answers.spec import Requirement
from tickertape.decode.ticks import NS_PER_S
from tickertape.model.transitions import NO_ENTITY
from tickertape.tape.shown_clock import shown_clocks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tickertape.answers.rules import Boot, Rule, Violation
    from tickertape.decode.ticks import Clock
    from tickertape.model.entities import Entities
    from tickertape.tape.reader import TapeReader
    from tickertape.tape.shown_clock import ShownClock

LIMIT_NS: Final = NS_PER_S
"""Default limit for a task that is ready without a CPU, for a CPU without idle time, and for a task
that waits after a lost wake-up."""

DETECTORS: Final[Mapping[str, type[Rule]]] = {
    "deadlock": Deadlock,
    "deadline": Misses,
    "inversion": Inversion,
    "abandoned_mutex": AbandonedMutex,
    "starvation": Starvation,
    "overload": Overload,
    "lost_wakeup": LostWakeup,
    "storm": Storm,
    "stack": Stack,
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault or remark.

    Attributes:
        epoch: boot of the target within the tape.
        begin_ticks: time at which it began.
        ticks: time from which it is certain.
        what: description in words.
        task: name of the task concerned; empty if no task is.
        clock: clock of the boot.
        why_ticks: a time at which the instance of the task is under way.
        shown: clock of the times that `print` shows for the boot.
        is_remark: whether a healthy program may do the same.
    """

    epoch: int
    begin_ticks: int
    ticks: int
    what: str
    task: str
    clock: Clock
    why_ticks: int
    shown: ShownClock
    is_remark: bool = False

    @property
    def severity(self) -> str:
        """`fault` or `remark`."""
        return "remark" if self.is_remark else "fault"

    @property
    def begin(self) -> str:
        """Time at which it began, as `--from` of `print` takes it."""
        return seconds(self.shown.ns(self.begin_ticks))

    @property
    def end(self) -> str:
        """Time from which it is certain, as `--to` of `print` takes it."""
        return seconds(self.shown.ns(self.ticks))

    @property
    def at(self) -> str:
        """Time for `why --at`, at which the instance of the task is under way."""
        return seconds(self.clock.ns(self.why_ticks))

    def commands(self, tape: str, *, stream: int | None = None) -> list[list[str]]:
        """Return the words of each command that shows the finding."""
        shown = [["print", tape, *self.shown.print_words(self.begin, self.end)]]
        if self.task:
            why = ["why", tape, "--task", self.task, "--at", self.at, "--boot", str(self.epoch)]
            shown.append(why + ([] if stream is None else ["--stream", str(stream)]))
        ticks = self.begin_ticks, self.ticks
        page = view_words(tape, self.clock, ticks, epoch=self.epoch, task=self.task, stream=stream)
        return [*shown, page]


@dataclass(frozen=True, slots=True)
class Detection:
    """The findings of one detector.

    Attributes:
        detector: its name, one of `DETECTORS`.
        count: number of findings.
        remarks: how many of them are remarks.
        findings: the worst findings, the worst first; faults before remarks.
        doubts: reasons why findings may be hidden.
    """

    detector: str
    count: int
    findings: Sequence[Finding]
    doubts: Sequence[str]
    remarks: int = 0

    @property
    def faults(self) -> int:
        """Number of findings that no healthy program has."""
        return self.count - self.remarks


def find(
    reader: TapeReader,
    *,
    stream: int | None = None,
    limit_ns: int = LIMIT_NS,
    on_progress: Callable[[int], None] | None = None,
) -> list[Detection]:
    """Apply all detectors, in one pass.

    Args:
        reader: the tape.
        stream: read this stream; the default stream of each boot when None.
        limit_ns: limit in ns, instead of `LIMIT_NS`.
        on_progress: called now and then with the number of records read so far.
    """
    requirements = [_requirement(name, limit_ns) for name in DETECTORS]

    def rules_of(boot: Boot) -> list[Rule]:
        return [rule(one, boot) for rule, one in zip(DETECTORS.values(), requirements, strict=True)]

    tallies = [Tally() for _ in DETECTORS]
    balance = balance_of(reader, by_class=False)
    entities = judge(
        reader,
        balance,
        rules_of,
        tallies,
        stream=stream,
        on_progress=on_progress,
        watch_ns=limit_ns,
    )
    clocks = shown_clocks(reader)
    return [
        Detection(
            name,
            tally.count,
            [_finding(name, one, clocks[one.epoch], entities) for one in tally.violations],
            tally.doubts,
            tally.remarks,
        )
        for name, tally in zip(DETECTORS, tallies, strict=True)
    ]


def _requirement(name: str, limit_ns: int) -> Requirement:
    longest = 0 if name == "inversion" else limit_ns
    return Requirement(name, {name: "any", "max": longest}, {}, {}, name)


def _finding(name: str, one: Violation, shown: ShownClock, entities: Entities | None) -> Finding:
    task = entities[one.task].name if entities is not None and one.task != NO_ENTITY else ""
    begin = one.ticks if one.begin is None else one.begin
    # The kernel reports a missed deadline when the next instance begins.
    at = max(one.ticks - 1, 0) if name == "deadline" else one.ticks
    return Finding(
        epoch=one.epoch,
        begin_ticks=begin,
        ticks=one.ticks,
        what=one.what,
        task=task,
        clock=shown.clock,
        why_ticks=at,
        shown=shown,
        is_remark=one.is_remark,
    )
