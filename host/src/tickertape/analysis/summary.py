"""The contents of a tape, on one screen or as one JSON object."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from tickertape.analysis.balance import TapeBalance, balance_of
from tickertape.analysis.boots import BootSummary, boots_of
from tickertape.decode.events import DecodeCounters
from tickertape.decode.ticks import Clock, clock_of
from tickertape.model.kernel import KernelModel
from tickertape.protocol.lookup import class_name
from tickertape.protocol.wire import CLASS_SHIFT
from tickertape.tape.stream import boot_events

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tickertape.model.kernel import Interrupt, Kernel, Task
    from tickertape.tape.board import Board
    from tickertape.tape.format import TapeIssue
    from tickertape.tape.reader import TapeReader


@dataclass(frozen=True, slots=True)
class TaskShare:
    """CPU time of one thread.

    Attributes:
        tid: its number.
        name: its name.
        epoch: boot of the target within the tape.
        run_ns: its known running time, without interrupts.
        cpu_share: its share of the observed time of one CPU; None when no time was observed.
    """

    tid: int
    name: str
    epoch: int
    run_ns: int
    cpu_share: float | None


@dataclass(frozen=True, slots=True)
class InterruptShare:
    """CPU time of one interrupt.

    Attributes:
        number: exception number.
        name: its name.
        epoch: boot of the target within the tape.
        run_ns: time for which it was served.
        cpu_share: its share, as in `TaskShare`.
    """

    number: int
    name: str
    epoch: int
    run_ns: int
    cpu_share: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """The contents of a tape.

    Attributes:
        events: events that could be decoded.
        duration_ns: time from the first event to the last, summed over boots of the target.
        tick_hz: rate of the target's clock; 0 when unknown, and a tick counts as 1 ns.
        cpus: number of CPUs of the target; 0 when unknown.
        build_id: build id of the firmware, hexadecimal; empty when it has none.
        target: name of board and application.
        epochs: number of boots of the target in this tape.
        boots: begin, end and reason of the end of each boot.
        tasks: threads, the one that ran longest first.
        interrupts: interrupts, in the same order.
        kernel_ns: time of all CPUs in the kernel between one process and the next.
        observed_ns: observed time of one CPU, summed over boots: the base of shares.
        known_ns: time of all CPUs with a known owner: tasks, interrupts, idle and kernel.
        unknown_ns: time of all CPUs with an unknown owner (docs/model.md).
        balance: records offered, delivered and lost.
        classes: number of events by class name, most first.
        decode: records that belong to no event, by reason.
        closed: the tape was closed in order.
        issues: damage and contradictions of the tape, one line each.
        notes: remarks of people and tools, in order.
        boards: board of each boot; empty unless several boards are on the tape.
        symbols: number of names of code and data on the tape.
        verified: True if the whole tape was read. Otherwise this is the summary stored in the
            tape: all chunks are present, but their bodies are unchecked.
    """

    events: int
    duration_ns: int
    tick_hz: int
    cpus: int
    build_id: str
    target: str
    epochs: int
    boots: tuple[BootSummary, ...]
    tasks: tuple[TaskShare, ...]
    interrupts: tuple[InterruptShare, ...]
    kernel_ns: int
    observed_ns: int
    known_ns: int
    unknown_ns: int
    balance: TapeBalance
    classes: Mapping[str, int]
    decode: DecodeCounters
    closed: bool
    issues: tuple[str, ...]
    notes: tuple[str, ...]
    boards: tuple[Board, ...] = ()
    symbols: int = 0
    verified: bool = True

    @property
    def complete(self) -> bool:
        """True when the tape contains every offered event, complete, up to the end of the trace."""
        balance = self.balance
        known = balance.final and not balance.unknown_losses
        whole = self.decode.whole and not balance.total.lost
        return self.closed and known and whole and not self.issues

    def to_json(self) -> dict[str, object]:
        """Return the summary as JSON values; docs/cli.md lists the keys."""
        total = self.balance.total
        return {
            "events": self.events,
            "duration_ns": self.duration_ns,
            "tick_hz": self.tick_hz,
            "cpus": self.cpus,
            "build_id": self.build_id,
            "target": self.target,
            "epochs": self.epochs,
            "boots": [asdict(boot) for boot in self.boots],
            "tasks": [asdict(task) for task in self.tasks],
            "interrupts": [asdict(interrupt) for interrupt in self.interrupts],
            "kernel_ns": self.kernel_ns,
            "observed_ns": self.observed_ns,
            "known_ns": self.known_ns,
            "unknown_ns": self.unknown_ns,
            "balance": {
                "offered": total.offered,
                "delivered": total.delivered,
                "overwritten": total.overwritten,
                "dropped": total.dropped,
                "damaged": total.damaged,
            },
            "unknown_losses": self.balance.unknown_losses,
            "final": self.balance.final,
            "classes": dict(self.classes),
            "lost_records": self.decode.lost_records,
            "closed": self.closed,
            "complete": self.complete,
            "issues": list(self.issues),
            "notes": list(self.notes),
            "boards": [
                {
                    "board": board.number,
                    "name": board.name,
                    "epoch": board.epoch,
                    "aligned": board.aligned,
                    "bound_ns": board.bound_ns,
                }
                for board in self.boards
            ],
            "symbols": self.symbols,
            "verified": self.verified,
        }


def summary_of(
    reader: TapeReader,
    on_progress: Callable[[int], None] | None = None,
    *,
    boot: int | None = None,
) -> Summary:
    """Read a whole tape once, in constant memory, and check every byte of it.

    Args:
        reader: the tape.
        on_progress: called now and then with the number of records read so far.
        boot: read only this boot, which has to be on the tape; None for the whole tape.
    """
    epochs = reader.epochs if boot is None else [boot]
    counters = DecodeCounters()
    model = KernelModel(reader.names, stream=reader.default_stream(boot))
    for epoch in epochs:
        for columns in boot_events(reader, epoch, stream=None, counters=counters, with_tails=True):
            model.feed(columns)
            if on_progress is not None:
                on_progress(counters.records)
    kernel = model.finish()
    if boot is None:
        reader.check_all()
    balance = balance_of(reader, by_class=False)
    if boot is not None:
        balance = TapeBalance(tuple(one for one in balance.rings if one.ring.epoch == boot))
    hello = reader.hello if boot is None else reader.hellos.get(boot) or reader.hello
    clock = clock_of(hello)
    observed_ns = _observed_ns(reader, kernel)
    return Summary(
        events=kernel.events,
        duration_ns=_ns(
            reader, {(one.epoch,): one.last_ticks - one.first_ticks for one in kernel.spans}
        ),
        tick_hz=clock.tick_hz or 0,
        cpus=hello.cpu_count if hello else 0,
        build_id=hello.build_id if hello else "",
        target=hello.target if hello else "",
        epochs=len(epochs),
        boots=boots_of(reader, kernel.spans, balance, epochs),
        tasks=tuple(
            TaskShare(*_share(task, task.tid, reader.clock(task.epoch), observed_ns))
            for task in kernel.tasks
        ),
        interrupts=tuple(
            InterruptShare(*_share(one, one.number, reader.clock(one.epoch), observed_ns))
            for one in kernel.interrupts
        ),
        kernel_ns=_ns(reader, {at: time.kernel_ticks for at, time in kernel.cpus.items()}),
        observed_ns=observed_ns,
        known_ns=_known_ns(reader, kernel),
        unknown_ns=_ns(reader, {at: time.unknown_ticks for at, time in kernel.cpus.items()}),
        balance=balance,
        classes=_classes(kernel),
        decode=counters,
        closed=reader.closed,
        issues=(
            *map(issue_line, reader.issues),
            *balance.contradictions,
        ),
        notes=tuple(reader.notes),
        boards=tuple(board for epoch, board in reader.boards.items() if epoch in epochs),
        symbols=symbol_count(reader),
        verified=boot is None,
    )


def symbol_count(reader: TapeReader) -> int:
    """Count the names of code and data on a tape."""
    return sum(len(table.rows) for table in reader.symbol_tables)


def issue_line(issue: TapeIssue) -> str:
    """Return an issue of a tape and its place as text."""
    return f"at byte {issue.offset}: {issue.what}"


def _observed_ns(reader: TapeReader, kernel: Kernel) -> int:
    """Return the observed time of one CPU, summed over boots."""
    observed: dict[tuple[int, ...], int] = {}
    for (epoch, _), time in kernel.cpus.items():
        observed[(epoch,)] = max(observed.get((epoch,), 0), time.observed_ticks)
    return _ns(reader, observed)


def _known_ns(reader: TapeReader, kernel: Kernel) -> int:
    """Return the time of all CPUs with a known owner."""
    cpus = kernel.cpus.items()
    return _ns(reader, {at: one.observed_ticks - one.unknown_ticks for at, one in cpus})


def _ns(reader: TapeReader, ticks: Mapping[tuple[int, ...], int]) -> int:
    """Add up times of boots, each by its own clock; the boot is the first part of a key."""
    by_clock: Counter[Clock] = Counter()
    for (epoch, *_), number in ticks.items():
        by_clock[reader.clock(epoch)] += number
    return sum(clock.ns(number) for clock, number in by_clock.items())


def _share(
    one: Task | Interrupt, number: int, clock: Clock, observed_ns: int
) -> tuple[int, str, int, int, float | None]:
    """Return number, name, epoch, time in ns and share of the observed time."""
    run_ns = clock.ns(one.run_ticks)
    return number, one.name, one.epoch, run_ns, run_ns / observed_ns if observed_ns else None


def _classes(kernel: Kernel) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for code, count in kernel.by_code.items():
        counts[class_name(code >> CLASS_SHIFT)] += count
    return dict(counts.most_common())
