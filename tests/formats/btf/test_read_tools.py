"""Traces of other tools: one small trace for each possible error of a reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.btf_tapes import HEAD, export_of, imported, lines_of
from tickertape._native.engine import engine, using
from tickertape.errors import ForeignFile

if TYPE_CHECKING:
    from pathlib import Path

RUNS = "SCHED.CONTEXT_SWITCH"
TAKEN = (
    "1,B,0,SEM,M,0,requestsemaphore,0\n1,B,0,SEM,M,0,increment,1\n1,B,0,SEM,M,0,queued,1\n"
    "1,M,0,SEM,M,0,lock,1\n1,B,0,SEM,M,0,assigned,1\n"
)

# Text, name of the event to compare, its times, CPUs and words, and the counts of left-out lines.
CASES = {
    "a task that gives its core away before it is seen": (
        "5,A,0,T,B,0,preempt\n6,Core_0,0,T,A,0,resume\n7,Core_0,0,T,A,0,preempt\n",
        (RUNS, [(6, 0, (0, 2)), (7, 0, (2, 0))]),
        {},
    ),
    "names that are neither cores nor processes": (
        (
            "0,Core_1,0,C,Core_1,0,set_frequency,9\n1,Core_1,0,T,A,0,resume\n3,(0),0,T,A,0,preempt\n"
            "4,A,0,T,B,0,resume\n6,(7),0,T,B,0,preempt\n7,B,0,T,A,0,resume\n"
        ),
        (RUNS, [(1, 1, (0, 1)), (3, 1, (1, 0)), (4, 1, (0, 2)), (6, 1, (2, 0)), (7, 1, (0, 1))]),
        {"events of type C": 1},
    ),
    "a task that takes a core before it leaves another one": (
        (
            "0,C_0,0,T,A,0,resume\n0,C_1,0,T,B,0,resume\n2,C_2,0,T,A,0,resume\n"
            "2,C_0,0,T,A,0,preempt\n4,C_2,0,T,A,0,preempt\n"
        ),
        (RUNS, [(0, 0, (0, 1)), (0, 1, (0, 2)), (8, 0, (1, 0)), (8, 2, (0, 1)), (16, 2, (1, 0))]),
        {"events of a task on another core than it is on": 1},
    ),
    "a task that is on two cores, and leaves a third one": (
        (
            "0,C_0,0,T,A,0,resume\n2,C_2,0,T,A,0,resume\n4,C_0,0,T,A,0,preempt\n"
            "6,C_1,0,T,A,0,resume\n"
        ),
        (RUNS, [(0, 0, (0, 1)), (8, 0, (1, 0)), (8, 2, (0, 1)), (16, 2, (1, 0)), (24, 1, (0, 1))]),
        {"events of a task on another core than it is on": 2},
    ),
    "a parked interrupt gets its semaphore": (
        (
            "0,C_0,0,T,A,0,resume\n1,A,0,SEM,S,0,requestsemaphore,0\n1,A,0,SEM,S,0,queued,0\n"
            "1,S,0,SEM,S,0,lock,1\n1,A,0,SEM,S,0,assigned,1\n2,C_1,0,I,X,0,start\n"
            "3,X,0,SEM,S,0,requestsemaphore,1\n3,X,0,SEM,S,0,queued,1\n"
            "3,S,0,SEM,S,0,overfull,2\n3,X,0,SEM,S,0,waiting,2\n3,C_1,0,I,X,0,poll\n"
            "4,C_1,0,I,X,0,park\n4,C_1,0,I,Y,0,start\n5,A,0,SEM,S,0,released,2\n"
            "5,S,0,SEM,S,0,full,1\n5,X,0,SEM,S,0,assigned,1\n5,C_1,0,I,X,0,release_parking\n"
            "7,C_1,0,I,Y,0,terminate\n7,C_1,0,I,X,0,resume\n9,C_1,0,I,X,0,terminate\n"
        ),
        ("IRQSTATE.SPIN_END", [(28, 1, (0, 0))]),
        {
            "times at which tasks without a core get a semaphore": 1,
            "times at which parked interrupts stop polling": 1,
        },
    ),
    "a queued activation": (
        (
            "0,S,0,STI,S,0,trigger\n0,S,0,T,A,0,activate\n2,C,0,T,A,0,start\n3,S,1,STI,S,1,trigger\n"
            "3,S,1,T,A,1,activate\n5,C,0,T,A,0,terminate\n6,C,0,T,A,1,start\n8,C,0,T,A,1,terminate\n"
        ),
        ("THREAD.NANOSLEEP", [(8, 0, (0, 1))]),
        {},
    ),
    "a mutex goes from a higher core to a lower one at one time": (
        (
            f"0,Core_0,0,T,A,0,start\n0,Core_1,0,T,B,0,start\n{TAKEN}2,A,0,SEM,M,0,requestsemaphore,1\n"
            "2,A,0,SEM,M,0,increment,2\n2,A,0,SEM,M,0,queued,2\n2,M,0,SEM,M,0,overfull,2\n"
            "2,A,0,SEM,M,0,waiting,2\n5,B,0,SEM,M,0,released,2\n5,B,0,SEM,M,0,decrement,1\n"
            "5,M,0,SEM,M,0,full,1\n5,A,0,SEM,M,0,assigned,1\n6,Core_0,0,T,A,0,preempt\n"
            "6,Core_1,0,T,B,0,preempt\n"
        ),
        # Four ticks per nanosecond.
        ("SYNC.MUTEX_LOCK_GRANTED", [(4, 1, (0x1000_0000, 2)), (21, 0, (0x1000_0000, 1))]),
        {},
    ),
    "a task that acts before its core is seen": (
        (
            "0,Core_1,0,T,A,0,start\n2,B,0,R,F,0,start\n3,B,0,R,F,0,terminate\n"
            "4,Core_2,0,T,B,0,terminate\n5,Core_1,0,T,A,0,terminate\n"
        ),
        ("RUNNABLE.BEGIN", [(8, 2, (0x1000_0000, 0))]),
        {},
    ),
    "cores have the numbers of their names": (
        "0,Core_1,0,T,A,0,start\n1,Core_0,0,T,B,0,start\n2,Core_1,0,T,A,0,preempt\n",
        (RUNS, [(0, 1, (0, 1)), (4, 0, (0, 2)), (8, 1, (1, 0))]),
        {},
    ),
    "two instances of a task live at a time": (
        (
            "0,S,0,STI,S,0,trigger\n0,S,0,T,A,0,activate\n1,Core_0,0,T,A,0,start\n"
            "2,S,1,STI,S,1,trigger\n2,S,1,T,A,1,activate\n3,Core_1,0,T,A,1,start\n"
            "4,A,1,R,F,0,start\n5,A,1,R,F,0,terminate\n6,Core_1,0,T,A,1,terminate\n"
            "7,Core_0,0,T,A,0,terminate\n"
        ),
        ("RUNNABLE.BEGIN", [(16, 1, (0x1000_0010, 0))]),
        {},
    ),
    "steps without requests": (
        (
            "1,A,0,SEM,M,0,decrement,1\n1,M,0,SEM,M,0,full,1\n1,B,0,SEM,M,0,assigned,1\n"
            "2,B,0,SEM,M,0,decrement,0\n2,M,0,SEM,M,0,unlock,0\n3,C,0,T,A,0,resume\n"
            "4,C,0,T,A,0,preempt\n5,C,0,T,B,0,resume\n6,C,0,T,B,0,preempt\n"
        ),
        ("SYNC.MUTEX_UNLOCK", [(1, 0, (0x1000_0000, 1)), (2, 0, (0x1000_0000, 2))]),
        {},
    ),
    "time steps back": (
        "0,C,0,T,A,0,resume\n9,C,0,T,A,0,preempt\n3,C,0,T,B,0,resume\n10,C,0,T,B,0,preempt\n",
        (RUNS, [(0, 0, (0, 1)), (9, 0, (1, 2)), (10, 0, (2, 0))]),
        {},
    ),
    "who wants a semaphore for itself alone waits for no spin lock": (
        (
            "0,C,0,T,A,0,resume\n1,A,0,SEM,M,0,exclusivesemaphore,0\n1,M,0,SEM,M,0,lock,1\n"
            "1,A,0,SEM,M,0,assigned,1\n2,A,0,SEM,M,0,released,1\n2,M,0,SEM,M,0,unlock,0\n"
            "3,C,0,T,A,0,preempt\n"
        ),
        ("SYNC.MUTEX_LOCK_GRANTED", [(1, 0, (0x1000_0000, 1))]),
        {},
    ),
    "what has no place on a tape is counted": (
        (
            "0,C,0,T,A,0,resume\n0,X,0,STI,X,0,trigger,why\n0,X,0,I,Isr,0,activate\n"
            "1,A,0,SEM,M,0,exclusivesemaphore,0\n2,S,0,SCHED,S,0,schedule\n3,C,0,T,A,0,preempt\n"
            "3,C,0,I,Isr,0,start\n4,C,0,I,Isr,0,terminate\n4,C,0,T,A,0,resume\n"
            "5,M,0,SEM,M,0,unlock,0\n6,C,0,T,B,0,resume\n7,C,0,T,B,0,preempt\n"
        ),
        ("INT.ENTRY", [(3, 0, (16, 0))]),
        {
            "notes of stimuli": 1,
            "requests for a semaphore without an answer": 1,
            "schedule without a switch": 1,
            "states of semaphores without a release": 1,
            "tasks on a core that another one has: that one leaves it": 1,
        },
    ),
}


# Traces that a round trip preserves line by line.
KEPT = {
    "a task that leaves the core to an interrupt goes on elsewhere": (
        "0,P,0,STI,P,0,trigger\n0,P,0,T,A,0,activate\n10,Core_0,0,T,A,0,start\n"
        "20,Core_0,0,T,A,0,preempt\n20,IRQ_x,0,STI,IRQ_x,0,trigger\n"
        "20,IRQ_x,0,I,ISR_x,0,activate\n20,Core_0,0,I,ISR_x,0,start\n"
        "30,Core_1,0,T,A,0,resume\n40,Core_1,0,T,A,0,preempt\n50,Core_0,0,I,ISR_x,0,terminate\n"
        "60,Core_1,0,T,A,0,resume\n70,Core_1,0,T,A,0,terminate\n"
    ),
    "an activation that is queued starts when it gets the core": (
        "0,P,0,STI,P,0,trigger\n0,P,0,T,A,0,activate\n10,Core_0,0,T,A,0,start\n"
        "100,P,1,STI,P,1,trigger\n100,P,1,T,A,1,activate\n150,Core_0,0,T,A,0,terminate\n"
        "160,Core_0,0,T,A,1,start\n200,Core_0,0,T,A,1,terminate\n"
    ),
    "an activation that is queued starts at once": (
        "0,P,0,STI,P,0,trigger\n0,P,0,T,A,0,activate\n10,Core_0,0,T,A,0,start\n"
        "100,P,1,STI,P,1,trigger\n100,P,1,T,A,1,activate\n150,Core_0,0,T,A,0,terminate\n"
        "150,Core_0,0,T,A,1,start\n200,Core_0,0,T,A,1,terminate\n"
    ),
    "time activates while a task runs": (
        "0,B0,0,STI,B0,0,trigger\n0,B0,0,T,B,0,activate\n10,Core_0,0,T,B,0,start\n"
        "20,Timer,0,STI,Timer,0,trigger\n20,Timer,0,T,A,0,activate\n"
        "25,B,0,STI,By_B,0,trigger\n25,By_B,0,T,C,0,activate\n30,Core_0,0,T,B,0,terminate\n"
        "30,Core_0,0,T,A,0,start\n40,Core_0,0,T,A,0,terminate\n"
    ),
    "a stimulus writes and sets": (
        "0,Core_0,0,T,A,0,resume\n5,Mode,0,STI,Mode,0,trigger\n5,Mode,0,SIG,V,0,write,1\n"
        "6,A,0,SIG,V,0,read,1\n7,A,0,EVENT,E,0,wait_event\n7,Core_0,0,T,A,0,wait\n"
        "8,Mode,1,STI,Mode,1,trigger\n8,Mode,1,EVENT,E,0,set_event,A\n"
        "8,Core_0,0,T,A,0,release\n9,Core_0,0,T,A,0,resume\n9,Core_0,0,T,A,0,terminate\n"
    ),
    "an activation beyond the limit, and the next one in time": (
        "0,P,0,STI,P,0,trigger\n0,P,0,T,A,0,activate\n10,Core_0,0,T,A,0,start\n"
        "20,P,1,STI,P,1,trigger\n20,P,1,T,A,1,activate\n"
        "30,P,2,STI,P,2,trigger\n30,P,2,T,A,2,mtalimitexceeded\n"
        "40,Core_0,0,T,A,0,terminate\n40,Core_0,0,T,A,1,start\n"
        "50,P,3,STI,P,3,trigger\n50,P,3,T,A,3,activate\n60,Core_0,0,T,A,1,terminate\n"
        "60,Core_0,0,T,A,3,start\n70,Core_0,0,T,A,3,terminate\n"
    ),
    "an interrupt starts later than it is requested": (
        "0,B,0,STI,B,0,trigger\n0,B,0,T,A,0,activate\n10,Core_0,0,T,A,0,start\n"
        "20,IRQ_x,0,STI,IRQ_x,0,trigger\n20,IRQ_x,0,I,ISR_x,0,activate\n"
        "70,Core_0,0,T,A,0,preempt\n70,Core_0,0,I,ISR_x,0,start\n"
        "90,Core_0,0,I,ISR_x,0,terminate\n90,Core_0,0,T,A,0,resume\n"
        "99,Core_0,0,T,A,0,terminate\n"
    ),
    "who polls for an event is parked by an interrupt": (
        "0,Core_0,0,T,A,0,resume\n0,Core_1,0,T,B,0,resume\n1,A,0,EVENT,E,0,wait_event\n"
        "1,Core_0,0,T,A,0,poll\n2,Core_0,0,T,A,0,park\n2,IRQ_x,0,STI,IRQ_x,0,trigger\n"
        "2,IRQ_x,0,I,ISR_x,0,activate\n2,Core_0,0,I,ISR_x,0,start\n"
        "3,B,0,EVENT,E,0,set_event,A\n3,Core_0,0,T,A,0,release_parking\n"
        "4,Core_0,0,I,ISR_x,0,terminate\n4,Core_0,0,T,A,0,resume\n5,Core_0,0,T,A,0,terminate\n"
        "6,Core_1,0,T,B,0,terminate\n"
    ),
    "a spin lock that another core waits for": (
        "0,Core_0,0,T,A,0,resume\n0,Core_1,0,T,B,0,resume\n"
        "1,L,0,SEM,L,0,free\n1,A,0,SEM,L,0,requestsemaphore\n1,L,0,SEM,L,0,lock\n1,A,0,SEM,L,0,assigned\n"
        "2,B,0,SEM,L,0,requestsemaphore\n2,Core_1,0,T,B,0,poll\n"
        "3,A,0,SEM,L,0,released\n3,L,0,SEM,L,0,unlock\n3,L,0,SEM,L,0,lock\n"
        "3,B,0,SEM,L,0,assigned\n3,Core_1,0,T,B,0,run\n"
        "4,B,0,SEM,L,0,released\n4,L,0,SEM,L,0,unlock\n5,Core_0,0,T,A,0,terminate\n"
        "6,Core_1,0,T,B,0,terminate\n"
    ),
    "an interrupt polls for a spin lock, and another one interrupts it": (
        "0,Core_0,0,T,A,0,resume\n1,L,0,SEM,L,0,free\n1,A,0,SEM,L,0,requestsemaphore\n"
        "1,L,0,SEM,L,0,lock\n1,A,0,SEM,L,0,assigned\n2,IRQ_x,0,STI,IRQ_x,0,trigger\n"
        "2,IRQ_x,0,I,ISR_x,0,activate\n2,Core_1,0,I,ISR_x,0,start\n"
        "3,ISR_x,0,SEM,L,0,requestsemaphore\n3,Core_1,0,I,ISR_x,0,poll\n"
        "4,Core_1,0,I,ISR_x,0,park\n4,IRQ_y,0,STI,IRQ_y,0,trigger\n"
        "4,IRQ_y,0,I,ISR_y,0,activate\n4,Core_1,0,I,ISR_y,0,start\n"
        "5,Core_1,0,I,ISR_y,0,terminate\n5,Core_1,0,I,ISR_x,0,poll_parking\n"
        "6,A,0,SEM,L,0,released\n6,L,0,SEM,L,0,unlock\n6,L,0,SEM,L,0,lock\n"
        "6,ISR_x,0,SEM,L,0,assigned\n6,Core_1,0,I,ISR_x,0,run\n"
        "7,ISR_x,0,SEM,L,0,released\n7,L,0,SEM,L,0,unlock\n8,Core_1,0,I,ISR_x,0,terminate\n"
        "9,Core_0,0,T,A,0,terminate\n"
    ),
    "an interrupt waits for a semaphore": (
        "0,CREATE_A,0,STI,CREATE_A,0,trigger\n0,CREATE_A,0,T,A,0,activate\n"
        "0,Core_0,0,T,A,0,start\n1,S,0,SEM,S,0,free,0\n1,A,0,SEM,S,0,requestsemaphore,0\n"
        "1,A,0,SEM,S,0,increment,1\n"
        "1,A,0,SEM,S,0,queued,1\n1,S,0,SEM,S,0,lock,1\n1,A,0,SEM,S,0,assigned,1\n"
        "2,IRQ_x,0,STI,IRQ_x,0,trigger\n2,IRQ_x,0,I,ISR_x,0,activate\n"
        "2,Core_1,0,I,ISR_x,0,start\n3,ISR_x,0,SEM,S,0,requestsemaphore,1\n"
        "3,ISR_x,0,SEM,S,0,increment,2\n3,ISR_x,0,SEM,S,0,queued,2\n3,S,0,SEM,S,0,overfull,2\n"
        "3,ISR_x,0,SEM,S,0,waiting,2\n3,Core_1,0,I,ISR_x,0,poll\n"
        "4,A,0,SEM,S,0,released,2\n4,A,0,SEM,S,0,decrement,1\n4,S,0,SEM,S,0,full,1\n"
        "5,ISR_x,0,SEM,S,0,assigned,1\n5,Core_1,0,I,ISR_x,0,run\n"
        "6,ISR_x,0,SEM,S,0,released,1\n6,ISR_x,0,SEM,S,0,decrement,0\n6,S,0,SEM,S,0,unlock,0\n"
        "7,Core_1,0,I,ISR_x,0,terminate\n9,Core_0,0,T,A,0,terminate\n"
    ),
    "the numbers of instances begin anew": (
        "3,Core_1,0,T,A,0,terminate\n6,S,0,STI,S,0,trigger\n6,S,0,T,A,1,activate\n"
        "6,Core_2,0,T,A,1,start\n7,Core_2,0,T,A,1,terminate\n"
    ),
}


@pytest.mark.parametrize("case", KEPT)
@pytest.mark.parametrize("compiled", [True, False])
def test_a_trace_comes_back_line_by_line(tmp_path: Path, case: str, *, compiled: bool) -> None:
    # The second instance of A gets the next number on the tape, regardless of the file.
    text = KEPT[case].replace(",A,1,", ",A,0,") if "anew" in case else KEPT[case]
    report, _ = imported(HEAD + text, tmp_path)
    assert report.left_out == {}
    with using(engine() if compiled else None):
        lines = export_of(tmp_path / "x.tape")
    assert [line for line in lines if line[0] != "#" and ",SCHED," not in line] == [
        *KEPT[case].splitlines()
    ]


@pytest.mark.parametrize("scale", ["s", "us", "ns"])
def test_times_that_nanoseconds_cannot_hold_are_refused(tmp_path: Path, scale: str) -> None:
    longest = {"s": 2**63 // 10**9, "us": 2**63 // 1000, "ns": 2**63 - 1}[scale]
    text = f"#version 2.3.0\n#timescale {scale}\n0,C,0,T,A,0,start\n{{}},C,0,T,A,0,terminate\n"
    imported(text.format(longest), tmp_path)
    with pytest.raises(ForeignFile, match="292 years"):
        imported(text.format(longest + 1), tmp_path)


@pytest.mark.parametrize("case", CASES)
def test_a_trace_of_another_tool(tmp_path: Path, case: str) -> None:
    text, (name, wanted), left_out = CASES[case]
    report, events = imported(HEAD + text, tmp_path)
    assert [(time, cpu, words) for time, cpu, what, words in events if what == name] == wanted
    assert report.left_out == left_out
    assert lines_of(tmp_path / "x.tape")  # also checks that there is no finding
