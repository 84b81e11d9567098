"""What the program is known to answer otherwise than docs/definitions.md: one row per kind.

A row is deleted when the program follows the definition. Rows are as narrow as the kind allows: a
feature of the world (`Shape.features`, or `Oracle.features`), a kind of tape, figures.
"""

from __future__ import annotations

from typing import NamedTuple


class Exclusion(NamedTuple):
    """Kind of tape, feature of the world, kind of row, figures ("": all), what differs, seed."""

    tapes: str
    feature: str
    rows: str
    figures: str
    what: str
    seed: int


_PARTS = "tasks idle kernel unknown"

EXCLUSIONS = [
    Exclusion("", "late", "task", "preemptions interruptions", "none before the first job", 80),
    Exclusion("", "created", "task", "preemptions interruptions", "the same, started later", 25),
    Exclusion("", "end", "check", "latency", "a job whose thread ends in it counts", 9),
    Exclusion("", "end", "task", "period period_jitter", "none after two jobs without end", 192),
    Exclusion("", "suspend", "task", "latency", "time of suspension is ready time", 7),
    Exclusion("", "suspend", "task", "period", "one is missing after a resume without a job", 7),
    Exclusion("", "suspend", "task", "cpu_time load", "several activations while suspended", 14),
    Exclusion("", "suspend", "task", "response execution", "the same", 14),
    Exclusion("", "suspend", "task", "preemptions interruptions", "the same", 14),
    Exclusion("", "suspend", "cpu", _PARTS, "the same", 14),
    Exclusion(
        "", "suspend", "task", "blocked", "waits again for an activation: counts as wait", 12
    ),
    Exclusion(
        "", "suspend", "object", "contended", "a wait that a suspension ended is missing", 253
    ),
    Exclusion("", "suspend", "check", "latency", "the state is unknown on a whole tape", 243),
    Exclusion("class SCHED", "suspend", "check", "response", "PASS, a violation is hidden", 99),
    Exclusion("stop", "suspend", "check", "response", "FAIL by a job that STOPPED begins", 208),
    Exclusion("stop", "late", "", "response latency", "FAIL by the life before the first job", 146),
    Exclusion("buffers", "late", "check", "response latency", "the same", 222),
    Exclusion(
        "buffers", "overrun", "check", "response", "PASS, a job without ACTIVATION is open", 30
    ),
    Exclusion("", "overrun", "task", "latency", "time of an earlier instance is ready time", 100),
    Exclusion(
        "", "woken", "task", "cpu_time load execution", "a call shows no running thread", 112
    ),
    Exclusion("", "woken", "task", "interruptions preemptions latency", "the same", 112),
    Exclusion("", "woken", "cpu", _PARTS, "the same", 112),
    Exclusion(
        "class INT", "late", "", "activations response latency execution blocking", "late", 27
    ),
    Exclusion("class THREAD", "", "task", "cpu_time load interruptions execution", "kernel", 32),
    Exclusion("class THREAD", "", "cpu", _PARTS, "a wait before a switch is not recorded", 32),
    Exclusion("class THREAD", "", "check", "execution", "the same in verdicts", 485),
    Exclusion("class SCHED", "late", "check", "response latency", "FAIL by the life before", 359),
    Exclusion("end", "created", "", "response latency", "FAIL by the life before", 278),
    Exclusion("buffers", "suspend", "check", "response latency", "the task was suspended", 268),
    Exclusion("buffers", "created", "task", "latency blocked", "a limit above the truth", 365),
    Exclusion("buffers", "", "cpu", "kernel", "COMPLETION, the next ACTIVATION is lost", 312),
    Exclusion("", "woken", "check", "execution", "a call shows no running thread", 337),
    Exclusion("", "woken", "object", "wait", "a wait that ends before the switch is missing", 362),
    Exclusion("", "suspend", "check", "blocking", "a wait that a suspension ended is missing", 418),
    Exclusion("end", "one CPU", "", "", "figures after the last record have no limits", 71),
]


def excluded(tape: str, features: frozenset[str], row: str, figure: str) -> bool:
    """Return whether the table lists a difference."""
    kind, name = row.split(maxsplit=1)[0], figure.split(".", maxsplit=1)[0]
    return any(
        (not e.tapes or tape == e.tapes)
        and (not e.feature or e.feature in features)
        and (not e.rows or kind == e.rows)
        and (not e.figures or name in e.figures.split())
        for e in EXCLUSIONS
    )
