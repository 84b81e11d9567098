"""Answers about time for Python programs: statistics, verdicts, reasons, findings."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.analysis.plan import link_of, plan_of
from tickertape.answers.check import check
from tickertape.answers.findings import LIMIT_NS, find
from tickertape.answers.places import Choice, spans_of
from tickertape.answers.spec import load
from tickertape.answers.statistics import statistics_of
from tickertape.answers.task_times import task_times
from tickertape.answers.why import why
from tickertape.api.criteria import number, times_of
from tickertape.api.shown import Detections, Statistics, Verdicts, Whys
from tickertape.api.task import TaskTimes
from tickertape.errors import UsageError
from tickertape.formats.ring_ends import chosen_stream

if TYPE_CHECKING:
    from tickertape.analysis.plan import Plan, PlanOptions
    from tickertape.tape.reader import TapeReader


class Answers(ABC):
    """Methods of `Tape` about time; each reads the tape anew, once or twice, in bounded memory.

    `stream` is the number of a stream on the tape; None means the default stream of each boot. An
    unknown stream raises `UsageError`; a call after `close` raises `TapeClosed`.
    """

    @property
    @abstractmethod
    def _reader(self) -> TapeReader:
        """The open tape; raises `TapeClosed` after `close`."""

    def stats(
        self,
        *,
        begin_ns: int | None = None,
        end_ns: int | None = None,
        stream: int | None = None,
    ) -> Statistics:
        """Return the statistics of each boot, times in ticks; see docs/stats.md.

        Args:
            begin_ns: begin of the range to count; None for no limit.
            end_ns: end of the range to count; None for no limit.
            stream: see the class.
        """
        begin_ns, end_ns = times_of({"begin_ns": begin_ns, "end_ns": end_ns})
        found = statistics_of(
            self._reader, stream=self._known(stream), begin_ns=begin_ns, end_ns=end_ns
        )
        return Statistics(found)

    def task(self, task: str | int, *, stream: int | None = None) -> TaskTimes:
        """Return the times of all instances of a task; memory grows with their number.

        Args:
            task: name or number of the task.
            stream: see the class.

        Raises:
            UsageError: there is no such task.
        """
        name = str(task)
        return TaskTimes(name, task_times(self._reader, name, self._known(stream)))

    def check(self, spec: Path | str, *, stream: int | None = None) -> Verdicts:
        """Check the tape against a specification; return a verdict per requirement.

        docs/check.md describes specifications and verdicts.

        Args:
            spec: path of the specification.
            stream: see the class.

        Raises:
            SpecError: the specification cannot be used, or a name in it is not on the tape.
        """
        return Verdicts(check(self._reader, load(Path(spec)), stream=self._known(stream)))

    def why(  # noqa: PLR0913 - until the former name of `boot` goes
        self,
        task: str | int,
        *,
        instance: int | None = None,
        worst: int = 1,
        at_ns: int | None = None,
        begin_ns: int | None = None,
        end_ns: int | None = None,
        boot: int | None = None,
        epoch: int | None = None,
        stream: int | None = None,
    ) -> Whys:
        """Explain response times of a task, the longest first, or a range; see docs/why.md.

        Args:
            task: name or number of the task.
            instance: number of the instance, counted from 0 on the tape; None for the longest ones.
            worst: number of instances to explain, the longest ones.
            at_ns: time at which the instance is under way; None for any.
            begin_ns: begin of a range to explain instead of instances; None for the first record.
            end_ns: end of the range; None for the last record.
            boot: number of the boot, from 0; None for all.
            epoch: former name of `boot`; warns, and will be removed in the next release.
            stream: see the class.

        Raises:
            UsageError: there is no such task, instance, boot or range, or both an instance and a
                range are given.
        """
        if epoch is not None:
            warnings.warn("why(epoch=) is now why(boot=)", DeprecationWarning, stacklevel=2)
            boot = epoch
        begin, end = times_of({"begin_ns": begin_ns, "end_ns": end_ns})
        spans = spans_of(self._reader, begin, end)
        if spans is not None and (instance is not None or at_ns is not None or worst != 1):
            raise UsageError(
                "begin_ns and end_ns explain a range", "leave out instance, worst and at_ns"
            )
        choice = Choice(
            str(task),
            None if instance is None else number("instance", instance, least=0),
            number("worst", worst, least=1),
            None if at_ns is None else number("at_ns", at_ns),
            None if boot is None else min(self._boots_of(frozenset({number("boot", boot)}))),
            spans=spans,
            is_range=spans is not None,
        )
        return Whys(why(self._reader, choice, stream=self._known(stream)))

    def findings(self, *, limit_ns: int = LIMIT_NS, stream: int | None = None) -> Detections:
        """Search for faults; return the findings of each detector, see docs/findings.md.

        Args:
            limit_ns: limit of `starvation`, `overload` and `lost_wakeup` in ns; 1 or more.
            stream: see the class.
        """
        limit_ns = number("limit_ns", limit_ns, least=1)
        return Detections(find(self._reader, stream=self._known(stream), limit_ns=limit_ns))

    def plan(self, link: str, options: PlanOptions | None = None) -> Plan:
        """Plan a link and its memory for this load, of all streams; see docs/plan.md.

        Args:
            link: `uart:BAUD`, `swo:BAUD`, `rtt`, `rtt:BYTES` or `rate:BYTES`.
            options: buffers, packing and latency to plan with.

        Raises:
            UsageError: `link` has none of these forms, or the tape has no records or an unknown
                clock rate.
        """
        return plan_of(self._reader, link_of(str(link)), options)

    def _known(self, stream: int | None) -> int | None:
        return None if stream is None else chosen_stream(self._reader, number("stream", stream))

    def _boots_of(self, wanted: frozenset[int]) -> frozenset[int]:
        """Refuse boots that are not on the tape.

        Raises:
            UsageError: there is no such boot.
        """
        known = self._reader.epochs
        for boot in sorted(wanted - set(known)):
            named = f"{self._reader.path} has no boot {boot}"
            one_of_them = f"choose one of {', '.join(map(str, known))}"
            raise UsageError(named, one_of_them if known else "it has none")
        return wanted
