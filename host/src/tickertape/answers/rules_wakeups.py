"""Lost wake-ups: a condition was signalled just before a task began to wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape._native.interface import SituationKind
from tickertape.answers.rules import CANDIDATES, Violation, touches
from tickertape.answers.rules_locks import OfSituations
from tickertape.model.entities import Kind
from tickertape.model.transitions import NO_ENTITY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.answers.observed import Observed, Unknown
    from tickertape.answers.reading import Part
    from tickertape.answers.rules import Boot
    from tickertape.answers.situation_table import Situation
    from tickertape.answers.spec import Requirement


class LostWakeup(OfSituations):
    """Requirement: a task that missed a wake-up waits for its condition for at most `max` ns.

    A condition does not store a wake-up. A wake-up is lost if it wakes no task while a task holds
    the mutex with which that task then waits. The sender did not hold the mutex, so the task had
    already decided to wait and does not test the condition again.
    """

    kinds = (SituationKind.MISSED_WAKEUP,)

    def __init__(self, requirement: Requirement, boot: Boot) -> None:
        """See `Rule`."""
        super().__init__(requirement, boot)
        self._max = self.limit()
        self._late: list[Situation] = []

    def take(self, one: Situation) -> None:
        """See `OfSituations`."""
        self.tally.checked += 1
        if one.end - one.since > self._max and len(self._late) < CANDIDATES:
            self._late.append(one)

    def conclude(self, observed: Observed, holes: Sequence[Unknown], part: Part) -> None:
        """See `Rule`."""
        super().conclude(observed, holes, part)
        for one in self._late:
            what = self._what(one)
            if touches(holes, one.rests_from, one.end):
                self.tally.doubt(f"{what}, unless a missing record explains it")
                continue
            length, epoch = one.end - one.since, self.boot.epoch
            found = Violation(length, epoch, one.end, what, task=one.entity, begin=one.begin)
            self.tally.fail(found)

    def _what(self, one: Situation) -> str:
        task, mutex = self.name(one.entity), self.name(one.object)
        by = "" if one.by == NO_ENTITY else f" by {self.name(one.by)}"
        condition = next(
            (
                each.name
                for each in self.boot.entities
                if each.kind is Kind.EVENT and each.number == one.value
            ),
            f"condition {one.value:#x}",
        )
        return (
            f"{task} waited for {condition} for {self.boot.time(one.end - one.since)}; a wake-up"
            f"{by} came {self.boot.time(one.since - one.begin)} earlier, while {task} had {mutex}"
        )
