"""The decisions of each example are equal on native and on every QEMU machine.

renode/robot/boot.robot compares Renode with a QEMU tape in the same way.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.support.programs import ROOT
from tests.targets.decisions import TURNS, Events, Same, difference
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, capture
from tickertape.tape import TapeReader
from tickertape.targets import TARGETS, find_target
from tickertape.targets.base import STREAM

if TYPE_CHECKING:
    from pathlib import Path

MACHINES = tuple(name for name in TARGETS if name.startswith("qemu:"))
TWO_CPUS, SMALL = "qemu:mps2-an521", "qemu:microbit"
DURATION_S = 0.3
BRIEF = {"brief": 1}  # the micro:bit's rings have 128 records

BOTH = ("tid", "instance")
GRANT = ("tid", "priority", "owner")
WORDS = ("data0", "data1")
JOBS = Same("SCHED.ACTIVATION", BOTH, 10)
ENDS = Same("SCHED.COMPLETION", BOTH, 9, cpus=1)
FIRST, SECOND = Same("USER.USER_1", WORDS, 30), Same("USER.USER_2", WORDS, 2)
LOAD = Same("TRC.*", ("n",), 10, cpus=1, own=True)
PLANT = Same("RUNNABLE.* SIGNAL.* SCHED.STIMULUS", ("runnable", "signal", "value"), 400)

EXAMPLES = {
    "first_tape": (JOBS, ENDS, FIRST, SECOND, Same("SYNC.MUTEX_*", GRANT, 50)),
    "messages": (
        *(JOBS, ENDS, FIRST, SECOND, Same(TURNS, least=200, cpus=1)),
        Same("COMM.REPLY COMM.ERROR", ("tid",), 70),
        Same("SCHED.TIMER", ("timer", "count"), 5),
    ),
    # Which philosopher waits for which depends on microseconds, and so does their order.
    "philosophers": (
        Same("SYNC.MUTEX_LOCK_GRANTED SYNC.MUTEX_UNLOCK", ("mutex",), 500, own=True),
        replace(FIRST, own=True),
    ),
    "priority_inversion": (
        *(JOBS, ENDS, Same(TURNS, least=15, cpus=1)),
        Same("SYNC.MUTEX_*", ("mutex", *GRANT), 20),
    ),
    "deadlock": (
        *(JOBS, ENDS, Same(TURNS, least=15, cpus=1)),
        Same("SYNC.MUTEX_*", ("mutex", *GRANT), 50, cpus=1),
    ),
    "domains": (JOBS, ENDS, Same("USER.* APP18.*", ("data0",), 60)),
    "finalized": (Same("APP16.EVENT_22 TRACER.FINALIZE", ("data0", "trace"), 3),),
    "missed_deadline": (
        *(JOBS, ENDS, Same(TURNS, least=10, cpus=1)),
        Same("SCHED.DEADLINE_MISS", BOTH, 5, cpus=1),
    ),
    "starvation": (Same(TURNS, least=3, cpus=1),),
    "lost_wakeup": (Same("SYNC.COND_* SYNC.MUTEX_*", ("condvar", "mutex", "tid"), 4, cpus=1),),
    "system": (
        *(JOBS, ENDS, PLANT, Same("SCHED.TIMER", ("timer", "count"), 10)),
        Same("SYNC.FLAGS_SET SYNC.FLAGS_CLEAR", ("flags", "bits"), 100),
        Same("SYNC.COND_SIGNAL SYNC.MUTEX_*", ("condvar", "mutex", "tid"), 200, cpus=1),
    ),
    "control_cpp": (
        *(JOBS, ENDS, FIRST, SECOND, Same(TURNS, cpus=1)),
        Same("RUNNABLE.*", ("runnable",), 50),
    ),
    "shark_circular": (replace(LOAD, newest=True),),
    # The moves of the disk head follow from the order of requests, which come at whole ticks.
    "shark_disk": (Same("TRC.EVENT_23 TRC.EVENT_24", ("data0",), 100, cpus=1),),
    "shark_dummy": (Same("SCHED.ACTIVATION SCHED.COMPLETION", BOTH, 30, cpus=1, own=True),),
    "shark_fixed": (LOAD,),
    "shark_online": (LOAD,),
    # The ring keeps fewer of these events on targets with more interrupts.
    "shark_own": (
        replace(LOAD, newest=True, share=0.7),
        Same("TRC.HOOPS TRC.USER_6 TRC.USER_7", ("n", "lost_count"), 3),
    ),
    "shark_udp": (replace(LOAD, first=12),),
    "trace_cost": (Same("USER.*", ("data0",), 500, own=True),),
}
"""The equal sequences of every example that makes decisions."""

OTHERS = {
    "linux_and_rt": "its writer is a process of Linux",
    "small": "it has no kernel, and on native it needs one; tests/firmware/test_small.py",
    "storm": "it records as fast as the machine can; tests/firmware/test_storm.py",
    "stress": "its random operations follow the order of the workers, which follows microseconds",
}
TOO_LARGE = {"domains", "trace_cost", *(name for name in EXAMPLES if name.startswith("shark_"))}


def test_every_example_has_its_place() -> None:
    folders = {path.parent.name for path in (ROOT / "firmware/examples").glob("*/main.c*")}
    assert folders == EXAMPLES.keys() | OTHERS.keys()


def events_of(target: str, example: str, tape: Path) -> Events:
    chosen = find_target(target)
    image = replace(chosen.build(example), link=STREAM)
    with chosen.start(image, duration_s=DURATION_S, options=BRIEF) as run:
        result = capture(run.link, tape, CaptureOptions())
        run.finish()
    assert not result.problems
    with TapeReader(tape) as reader:
        assert balance_of(reader).total.holds
    return Events(tape)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_decides_the_same_everywhere(example: str, tmp_path: Path) -> None:
    native = events_of("native", example, tmp_path / "native.tape")
    for machine in MACHINES:
        if machine == SMALL and example in TOO_LARGE:
            continue
        other = events_of(machine, example, tmp_path / f"{machine}.tape")
        for same in EXAMPLES[example]:
            if machine == TWO_CPUS and same.cpus == 1:
                continue
            assert difference(same, native, other) is None, (machine, same)


def test_a_difference_is_found(tmp_path: Path) -> None:
    """Test of the comparison itself: two different examples differ."""
    jobs = events_of("native", "deadlock", tmp_path / "a.tape")
    other = events_of("native", "missed_deadline", tmp_path / "b.tape")
    assert difference(JOBS, jobs, jobs) is None
    assert str(difference(JOBS, jobs, other)).startswith("None: event 0: ('SCHED.ACTIVATION', '")
    assert str(difference(replace(JOBS, own=True), jobs, other)).startswith("threads ['reader'")
    assert difference(replace(JOBS, least=1000), jobs, jobs) == "25 events, not 1000"
    assert str(difference(Same(TURNS), jobs, other)).startswith("None: event 0: ('")
