"""Exports and summarizes many tapes in parallel, with Dask.

    for done in export_fleet(tapes, dataset, fleet): ...

Dask is part of the extra `fleet`. Without the address of a scheduler, threads of this process do
the work; with one, the workers of that scheduler do it and need access to the same folders. A tape
that cannot be read yields an outcome with a problem; the other tapes are processed.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from tickertape.analysis.stored import stored_summary
from tickertape.analysis.summary import summary_of
from tickertape.errors import TapeError, TickertapeError, UsageError
from tickertape.formats.arrow.parquet import TABLES, add_tape
from tickertape.formats.extras import load
from tickertape.formats.source import Source
from tickertape.tape.reader import TapeReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

Value = TypeVar("Value")
_SUFFIX: Final = ".tape"


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Value]):
    """Result of one tape.

    Attributes:
        name: name of the tape in the dataset.
        value: the result; None when the tape could not be read.
        problem: the reason, one line; empty on success.
    """

    name: str
    value: Value | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TapeFacts:
    """One row of `fleet stats`.

    Attributes:
        events: number of decoded events.
        duration_ns: time from the first to the last event, summed over boots.
        offered: number of offered records.
        lost: number of offered records that are missing.
        unknown_losses: number of losses of unknown size.
        complete: whether the tape contains every offered event up to the end of the trace.
        longest: name of the thread with the longest run time, idle excluded; empty when unknown.
        longest_ns: run time of this thread.
    """

    events: int
    duration_ns: int
    offered: int
    lost: int
    unknown_losses: int
    complete: bool
    longest: str
    longest_ns: int


def tapes_in(folder: Path) -> Mapping[str, Path]:
    """Find the tapes below a folder, by name: the relative path with dots for slashes.

    Raises:
        UsageError: the folder does not exist or contains no tape.
    """
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}", "give one that holds tapes")
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob(f"*{_SUFFIX}")):
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        name = name.encode(errors="replace").decode()  # a file name may not be valid UTF-8
        while name in found:
            name += "+"
        found[name] = path.resolve()
    if not found:
        raise UsageError(f"no tape is in {folder}", f"give a folder with files named *{_SUFFIX}")
    return found


def export_fleet(
    tapes: Mapping[str, Path], dataset: Path, *, partitioned: bool, scheduler: str | None
) -> Iterator[Outcome[int]]:
    """Write tapes into one dataset; yield the number of events of each when it is done.

    Args:
        tapes: path of each tape, by its name in the dataset.
        dataset: folder of the dataset.
        partitioned: whether each boot and CPU gets a file of its own.
        scheduler: address of a Dask scheduler; None for threads of this process.

    Raises:
        UsageError: a package is missing, no scheduler answers at the address, or a worker failed.
    """
    yield from _spread(partial(_export, dataset.resolve(), partitioned), tapes, scheduler)


def fleet_facts(
    tapes: Mapping[str, Path], *, scheduler: str | None
) -> Iterator[Outcome[TapeFacts]]:
    """Yield the rows of `fleet stats` as they are ready; arguments as for `export_fleet`."""
    yield from _spread(_facts, tapes, scheduler)


def _export(dataset: Path, partitioned: bool, name: str, path: Path) -> int:  # noqa: FBT001 - by position through Dask
    try:
        with TapeReader(path) as reader:
            # Dask already distributes tapes over the processors.
            report = add_tape(Source(reader), dataset, name=name, partition=partitioned, encoders=1)
            return report.counts["events"]
    except BaseException:
        for table in TABLES:
            shutil.rmtree(dataset / table / f"tape={name}", ignore_errors=True)
        raise


def _facts(_name: str, path: Path) -> TapeFacts:
    with TapeReader(path) as reader:
        summary = stored_summary(reader) or summary_of(reader)
    total = summary.balance.total
    busy = [task for task in summary.tasks if task.name != "idle" and task.run_ns]
    return TapeFacts(
        events=summary.events,
        duration_ns=summary.duration_ns,
        offered=total.offered,
        lost=total.lost,
        unknown_losses=summary.balance.unknown_losses,
        complete=summary.complete,
        longest=busy[0].name if busy else "",
        longest_ns=busy[0].run_ns if busy else 0,
    )


def _attempt(work: Callable[[str, Path], Value], name: str, path: Path) -> Outcome[Value]:
    """Process one tape; return an error of the tape as an outcome with a problem."""
    try:
        return Outcome(name, work(name, path))
    except TapeError as error:
        return Outcome(name, None, str(error))


def _spread(
    work: Callable[[str, Path], Value], tapes: Mapping[str, Path], scheduler: str | None
) -> Iterator[Outcome[Value]]:
    jobs = [partial(_attempt, work, name, path) for name, path in tapes.items()]
    if scheduler is None:
        yield from _with_threads(jobs)
    else:
        yield from _with_cluster(jobs, scheduler)


def _with_threads(jobs: Sequence[Callable[[], Outcome[Value]]]) -> Iterator[Outcome[Value]]:
    """Compute as many jobs at a time as there are processors, so that progress can be shown."""
    dask = load("dask", extra="fleet", what="fleets")
    width = load("dask.system", extra="fleet", what="fleets").CPU_COUNT
    for first in range(0, len(jobs), width):
        delayed = [dask.delayed(job)() for job in jobs[first : first + width]]
        yield from dask.compute(*delayed, scheduler="threads")


def _with_cluster(
    jobs: Sequence[Callable[[], Outcome[Value]]], scheduler: str
) -> Iterator[Outcome[Value]]:
    distributed = load("distributed", extra="fleet", what="fleets")
    try:
        client = distributed.Client(scheduler, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {scheduler}", "start 'dask scheduler', or check it"
        ) from error
    with client:
        futures = [client.submit(job, pure=False) for job in jobs]
        for future in distributed.as_completed(futures):
            try:
                yield future.result()
            except TickertapeError:
                raise
            except Exception as error:
                raise UsageError(
                    f"a worker of {scheduler} failed ({error})",
                    "look at its log; it needs tickertape[fleet] and the same folders",
                ) from error
