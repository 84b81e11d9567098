"""Judge requirements while a tape grows: report a violation as soon as it is certain.

    live = LiveCheck(requirements, tape)
    while not tape.ended:
        for one in live.look():
            print(one.requirement.name, one.violation.what)

`LiveCheck` applies the pass of `check` to the events so far. From time to time, copies of the rules
conclude as if the tape ended there and any number of later records were lost. A violation found
then remains one. PASS and UNKNOWN are certain only at the end, when `check` judges the whole tape.

Events of several CPUs are judged once every CPU has sent later ones. Only the lowest stream with
records is judged, and only in boots with a HELLO.
"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tickertape.answers.check import rules_of, watch_of
from tickertape.answers.events import require_times
from tickertape.answers.reading import BootPass
from tickertape.answers.rules import Boot
from tickertape.answers.situations import NO_LIMIT
from tickertape.decode.one_stream import HARDWARE_STREAM
from tickertape.model.boot import Boots
from tickertape.model.code_names import CodeNames
from tickertape.model.compiled_system import system_model
from tickertape.tape.stream import Merging

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from tickertape.answers.rules import Rule, Violation
    from tickertape.answers.spec import Requirement
    from tickertape.decode.events import EventColumns
    from tickertape.decode.ticks import Clock
    from tickertape.tape.growing import Growing

_REST: Final = 10.0
"""Pause after a look at the verdicts, in lengths of that look, so that events do not wait."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A requirement that has failed.

    Attributes:
        number: number of the requirement, from 0.
        requirement: the requirement.
        violation: its first known violation.
        clock: clock of the boot.
    """

    number: int
    requirement: Requirement
    violation: Violation
    clock: Clock

    def __str__(self) -> str:
        """Return it as one line."""
        at = self.clock.ns(self.violation.ticks) / 1e9
        return f"{self.requirement.name}: at {at:.9f} s: {self.violation.what}"


class LiveCheck:
    """Judges a growing tape. Memory is that of `check` and does not depend on the running time.

    Attributes:
        failures: failures in all boots so far, in the order in which they were found.
    """

    def __init__(self, requirements: Sequence[Requirement], tape: Growing) -> None:
        """Begin before the first event.

        Args:
            requirements: requirements of a specification. A name may appear on the tape later.
            tape: provides the clock and the names; `feed` takes the events.
        """
        self.failures: list[Failure] = []
        self._requirements = requirements
        self._boots = Boots(tape, CodeNames(tape).of)
        tape.on_name = self._boots.learn
        self._tape = tape
        self._model = system_model(lambda epoch: self._boots(epoch).names)
        self._live: _LiveBoot | None = None
        self._is_blind = False
        self._rest_until = 0.0

    def feed(self, epoch: int, ring: tuple[int, int], columns: EventColumns) -> None:
        """Take the next events of a ring: a stream and a CPU."""
        hello = self._tape.hellos.get(epoch)
        if hello is None:
            return
        if ring[0] == HARDWARE_STREAM:
            # Hardware accesses arrive before records of the same time that the target has yet to
            # send. `check` judges them in order at the end.
            self._is_blind = self._is_blind or bool(len(columns))
        if self._is_blind:
            self._live = None
            return
        if self._live is None or self._live.boot.epoch != epoch:
            if not len(columns):
                return
            boot = Boot(
                epoch=epoch,
                clock=self._boots.clock(epoch),
                entities=self._model.entities,
                balance=None,
                final=False,
                unknown_losses=0,
                is_whole=False,
                goes_on=True,
            )
            rules = rules_of(self._requirements, boot)
            follows = BootPass(self._model, epoch)
            if watch_of(self._requirements) is not None:
                follows.watch(NO_LIMIT)
            self._live = _LiveBoot(boot, rules, follows, ring[0], hello.cpu_count)
        self._live.feed(ring, columns)

    def look(self, *, at_once: bool = False) -> list[Failure]:
        """Return the failures found since the last call.

        Args:
            at_once: judge now, without the pause after the last look.
        """
        began = time.monotonic()
        if self._live is None or (began < self._rest_until and not at_once):
            return []
        found = self._live.look({one.number for one in self.failures})
        self.failures += found
        ended = time.monotonic()
        self._rest_until = ended + _REST * (ended - began)
        return found


class _LiveBoot:
    """The current boot: merges its events and feeds them to its rules."""

    def __init__(
        self, boot: Boot, rules: Sequence[Rule], pass_: BootPass, stream: int, cpus: int
    ) -> None:
        self.boot = boot
        self._rules = rules
        self._pass = pass_
        self._stream, self._cpus = stream, cpus
        self._merging = Merging(cpus)
        self._observed = boot.observed
        self._has_more = self._is_over = False

    def feed(self, ring: tuple[int, int], columns: EventColumns) -> None:
        stream, cpu = ring
        # A lower stream with records is the default stream, which `check` will judge.
        self._is_over = self._is_over or (stream < self._stream and bool(len(columns)))
        if stream != self._stream or cpu >= self._cpus or self._is_over:
            return
        self._merging.add(cpu, columns)
        for certain in self._merging.taken():
            require_times(certain)
            part = self._pass.feed(certain)
            self._observed.feed(certain)
            self.boot.shown.feed(part.table, self._observed)
            for rule in self._rules:
                rule.feed(part)
            self._has_more = True

    def look(self, failed: AbstractSet[int]) -> list[Failure]:
        if not self._has_more or self._is_over:
            return []
        self._has_more = False
        part, found = self._pass.so_far(), []
        boot = replace(self.boot, shown=copy.deepcopy(self.boot.shown))
        boot.shown.feed(part.table, self._observed)
        for number, rule in enumerate(self._rules):
            if number in failed:
                continue
            shared = (self.boot.entities, rule.requirement)
            memo = {id(one): one for one in shared}
            concluded = copy.deepcopy(rule, {**memo, id(self.boot): boot})
            concluded.feed(part)
            concluded.end(self._observed, part)
            if concluded.tally.count:
                first = min(concluded.tally.violations, key=lambda one: one.ticks)
                found.append(Failure(number, rule.requirement, first, self.boot.clock))
        return found
