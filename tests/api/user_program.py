# ruff: noqa: SIM401, T201, TC003 - as users write
"""A typed user program with every form of a tape; a test checks it with mypy --strict."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import tickertape


def busiest(tape: tickertape.Tape) -> tickertape.Task | None:
    """Return the task that ran longest."""
    return next(iter(tape.tasks), None)


def lines(chosen: tickertape.Selected) -> Iterator[str]:
    """Yield a description of each event."""
    for event in chosen:
        value: tickertape.Value | None = event["mutex"] if "mutex" in event else None
        name: str | None = value.name if value is not None else event.task
        yield f"{event.time_ns + 1} {event.name} {name} {event.epoch + event.cpu}"


def columns(tape: tickertape.Tape) -> int:
    """Return a sum over the contents of columns."""
    total = 0
    for part in tape.columns(classes=["SCHED"], cpus=range(2), begin_ns=0):
        total += int(part.time_ns.sum()) + len(set(part.task)) + len(part.gaps)
        known: tickertape.TapeColumns = part.take(slice(0, 1))
        total += len(known.name) + int(known.tid[0])
    return total + sum(len(rows) for rows in tape.arrays(stream=0))


def answers(tape: tickertape.Tape, spec: Path) -> Mapping[tickertape.Law, tickertape.Judgement]:
    """Use every answer of a tape."""
    found: tickertape.Detections = tape.findings(limit_ns=10**9)
    stats: tickertape.Statistics = tape.stats(begin_ns=0, end_ns=10**9)
    boot: tickertape.BootStats = stats[0]
    verdict: tickertape.Verdict = tape.check(spec)[0]
    why: tickertape.Why = tape.why("control", worst=1)[0]
    times: tickertape.TaskTimes = tape.task(3)
    summary: tickertape.Summary = tape.summary()
    balance: tickertape.TapeBalance = tape.balance
    plan: tickertape.Plan = tape.plan("uart:115200", tickertape.PlanOptions())
    print(found[0].count, boot.epoch, verdict.outcome, why.ticks, times.response_times_ns().max())
    print(summary.events, balance.total.offered, plan.verdict, tape.counters.lost_records)
    return tape.laws(overhead_ns=0)


def targets(folder: Path) -> tickertape.CaptureResult:
    """Run, capture and control."""
    ran = tickertape.run(target="native", example="first_tape", duration_s=1, options={"size": 1})
    with tickertape.connect("unix:/tmp/board") as board:
        status: tickertape.StreamStatus = board.status()
        board.deselect("INT", "MUTEX_*")
        print(status.running, ran.reason is tickertape.StopReason.END)
    return tickertape.capture("/dev/ttyACM0", folder / "T.tape", baud=921600, wait_s=1)


def callbacks(path: Path) -> tickertape.ParserReport:
    """Use a parser."""
    parser = tickertape.Parser()

    @parser.on("SCHED")
    def scheduled(event: tickertape.Event) -> None:
        print(event.name, event.payload)

    @parser.on_gap
    def lost(gap: tickertape.Gap) -> None:
        print(gap.lost)

    print(scheduled, lost)
    return parser.run(path)


def main(path: Path) -> int:
    """Open and use a tape; report an error."""
    try:
        with tickertape.open(path) as tape:
            print(len(tape), repr(tape), busiest(tape), columns(tape))
            print(*lines(tape.select(tasks=["control", 3], boot=0)))
            report: tickertape.Report = tape.export("btf", path.with_suffix(".btf"), version="2.1")
            print(report.counts, tape.to_arrow(events="MUTEX_*"), list(tape.iter_batches()))
            print(tape.to_polars(), tape.to_pandas(), tape.hello, tape.issues, tape.boards)
    except tickertape.TapeMissing as error:
        print(error.problem, error.advice)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
