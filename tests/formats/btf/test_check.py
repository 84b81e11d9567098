"""The validator accepts valid traces, and names every violated rule."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tickertape.errors import ForeignFile, TapeError, TapeMissing
from tickertape.formats.btf.check import check_btf
from tickertape.formats.btf.findings import LISTED
from tickertape.formats.btf.lines import LINE_BYTES
from tickertape.formats.btf.tables import RULES, Profile

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.command import Command
    from tickertape.formats.btf.check import CheckReport

    Check = Callable[..., CheckReport]

DATA = Path(__file__).parents[2] / "data" / "btf"
OLD = "#version 2.1.5\n#creator x\n#creationDate 2016-01-01T00:00:00Z\n#timeScale ns\n"
NEW = "#version 2.3.0\n#timescale ns\n"

# A process that runs before its first visible event, for the rules about each state.
A_OLD = "0,SIM,-1,STI,A_S,0,trigger\n0,A_S,0,T,A,0,activate\n1,Core_0,0,T,A,0,start\n"
REPEATED = ["header-creator", "header-timescale", "header-version"]
A_RUNS = "0,A_S,0,STI,A_S,0,trigger\n0,A_S,0,T,A,0,activate\n1,Core_0,0,T,A,0,start\n"


@pytest.fixture
def check(tmp_path: Path) -> Check:
    def run(text: str, **options: object) -> CheckReport:
        path = tmp_path / "x.btf"
        path.write_text(text, encoding="utf-8")
        return check_btf(path, **options)  # type: ignore[arg-type] # what check_btf has

    return run


def found(report: CheckReport) -> list[tuple[int, str]]:
    return [(one.line, one.rule) for one in report.findings.by_line()]


def test_the_two_errors_of_the_reference_are_found() -> None:
    report = check_btf(DATA / "two_errors.btf")
    assert found(report) == [(8, "source-unknown"), (10, "wrong-core")]
    assert report.profile is Profile.OLD
    strict = check_btf(DATA / "two_errors.btf", strict=True)
    assert found(strict) == [(5, "source-instance"), (8, "source-unknown"), (10, "wrong-core")]


TAKEN = (
    "0,A,0,SEM,S,0,requestsemaphore,0\n0,A,0,SEM,S,0,queued,0\n0,S,0,SEM,S,0,lock,1\n"
    "0,A,0,SEM,S,0,assigned,1\n"
)
"""A process takes a semaphore; the counts change at states, as some tools write them."""

# Examples of the specifications with other names: text, and findings with --strict only.
SHOWN = {
    "runnables are suspended with their task": (
        NEW + "0,S_A,0,T,A,0,activate\n100,C0,0,T,A,0,start\n100,A,0,R,R1,0,start\n"
        "200,A,0,R,R2,0,start\n300,A,0,R,R2,0,suspend\n300,A,0,R,R1,0,suspend\n"
        "300,C0,0,T,A,0,preempt\n300,C0,0,T,B,7,start\n400,C0,0,T,B,7,terminate\n"
        "400,C0,0,T,A,0,resume\n400,A,0,R,R1,0,resume\n400,A,0,R,R2,0,resume\n"
        "500,A,0,R,R2,0,terminate\n500,A,0,R,R1,0,terminate\n500,C0,0,T,A,0,terminate\n",
        ["trigger-first"],
    ),
    "a task activates another one": (
        NEW + A_RUNS + "5,A,0,STI,B_S,0,trigger\n5,B_S,0,T,B,0,activate\n"
        "6,Core_0,0,T,A,0,preempt\n6,Core_0,0,T,B,0,start\n",
        [],
    ),
    "time triggers in an old file": (
        OLD + "0,SIM,-1,STI,S,0,trigger\n0,S,0,T,A,0,activate\n9,SIM,-1,STI,S,1,trigger\n",
        [],
    ),
    "time triggers in a new file as it did before": (
        NEW + "0,SIM,0,STI,S,1,trigger\n0,S,1,EVENT,E,0,set_event,A\n0,S,1,SIG,X,0,write,2\n",
        ["dialect-source"],
    ),
    "an OS event is waited for": (
        NEW + A_RUNS + "2,A,0,EVENT,E,0,wait_event\n2,Core_0,0,T,A,0,wait\n"
        "2,Core_1,0,T,B,4,start\n3,B,4,EVENT,E,0,set_event,A\n3,Core_0,0,T,A,0,release\n"
        "4,Core_0,0,T,A,0,resume\n4,A,0,EVENT,E,0,clear_event\n",
        [],
    ),
    "polling and parking": (
        OLD + "0,C0,0,T,A,0,start\n1,C0,0,T,A,0,poll\n2,C0,0,T,A,0,park\n2,C0,0,I,X,0,start\n"
        "3,C0,0,I,X,0,terminate\n3,C0,0,T,A,0,poll_parking\n4,C0,0,T,A,0,run\n"
        "5,C0,0,T,A,0,poll\n5,C0,0,T,A,0,park\n6,C0,0,T,A,0,release_parking\n"
        "7,C0,0,T,A,0,resume\n8,C0,0,T,A,0,terminate\n",
        [],
    ),
    "a semaphore of one, counts of 2.3": (
        NEW + "0,S,0,SEM,S,0,free,0\n1,A,0,SEM,S,0,requestsemaphore,0\n1,A,0,SEM,S,0,increment,1\n"
        "1,A,0,SEM,S,0,queued,1\n1,S,0,SEM,S,0,lock,1\n1,A,0,SEM,S,0,assigned,1\n"
        "2,B,0,SEM,S,0,requestsemaphore,1\n2,B,0,SEM,S,0,increment,2\n2,B,0,SEM,S,0,queued,2\n"
        "2,S,0,SEM,S,0,overfull,2\n2,B,0,SEM,S,0,waiting,2\n3,A,0,SEM,S,0,released,2\n"
        "3,A,0,SEM,S,0,decrement,1\n3,S,0,SEM,S,0,full,1\n3,B,0,SEM,S,0,assigned,1\n",
        [],
    ),
    "a semaphore of one, counts of 2.1.5": (
        OLD + "0,S,0,SEM,S,0,ready,0\n0,S,0,SEM,S,0,free,0\n1,A,0,SEM,S,0,increment\n"
        "1,A,0,SEM,S,0,requestsemaphore,0\n1,S,0,SEM,S,0,queued,0\n1,S,0,SEM,S,0,lock,1\n"
        "1,A,0,SEM,S,0,assigned,1\n2,B,0,SEM,S,0,increment\n2,B,0,SEM,S,0,requestsemaphore,1\n"
        "2,S,0,SEM,S,0,overfull,2\n2,B,0,SEM,S,0,waiting,2\n3,A,0,SEM,S,0,released,2\n"
        "3,A,0,SEM,S,0,decrement\n3,B,0,SEM,S,0,assigned,1\n3,S,0,SEM,S,0,full,1\n"
        "4,B,0,SEM,S,0,released,1\n4,B,0,SEM,S,0,decrement\n4,S,0,SEM,S,0,unlock,0\n",
        [],
    ),
    "a semaphore of three": (
        NEW + "0,A,0,SEM,S,0,increment,1\n0,S,0,SEM,S,0,used,1\n1,A,0,SEM,S,0,increment,2\n"
        "1,S,0,SEM,S,0,used,2\n2,A,0,SEM,S,0,increment,3\n2,S,0,SEM,S,0,lock_used,3\n"
        "3,A,0,SEM,S,0,decrement,2\n3,S,0,SEM,S,0,unlock_full,2\n4,A,0,SEM,S,0,decrement,1\n"
        "4,S,0,SEM,S,0,used,1\n5,A,0,SEM,S,0,decrement,0\n5,S,0,SEM,S,0,free,0\n",
        [],
    ),
    "a spin lock": (
        NEW + "1,A,0,SEM,S,0,requestsemaphore\n1,S,0,SEM,S,0,lock\n1,A,0,SEM,S,0,assigned\n"
        "2,B,0,SEM,S,0,requestsemaphore\n3,A,0,SEM,S,0,released\n3,S,0,SEM,S,0,unlock\n"
        "3,S,0,SEM,S,0,lock\n3,B,0,SEM,S,0,assigned\n4,B,0,SEM,S,0,released\n"
        "4,S,0,SEM,S,0,unlock\n",
        [],
    ),
    "the scheduler": (
        OLD + "0,S,0,T,A,0,activate\n0,A,0,SCHED,SC,-1,processactivate\n"
        "1,SC,-1,SCHED,SC,-1,schedule\n1,C0,0,T,A,0,start\n2,A,0,SCHED,SC,-1,schedulepoint\n"
        "3,C0,0,T,A,0,terminate\n3,A,0,SCHED,SC,-1,processterminate\n",
        ["trigger-first"],
    ),
    "tags and the system": (
        OLD + "0,E,-1,SIM,SIM,-1,tag,ECU_INIT\n0,X,-1,SIM,SIM,-1,tag,SIG_INIT_VALUE,0\n"
        "0,SIM,-1,SYS,SYSTEM,0,start\n9,SIM,-1,SYS,SYSTEM,0,stop\n",
        [],
    ),
    "tables, blanks, quotes and a task that activates itself": (
        (
            "#version 1.0\r\n#creator x\r\n#creationdate 2012-08-31T15:53:00\r\n#timeScale us\r\n"
            "#entityType\r\n#-0 T\r\n#entityTable\r\n#-0 A\r\n#entityTypeTable\r\n#-T A\r\n#-C K\r"
            '\n\r\n# a comment\r\n0, A ,0,T,"A",0,activate\r\n1,K,0,T,A,0,start\r\n'
        ),
        ["dialect-source"],
    ),
    "numbers in the places of names": (
        NEW + "#typeMapping 7 T\n#entityMapping 1 A\n#entityMapping 2 K\n#entityTypeMapping 7 1\n"
        "0,2,0,7,1,0,start\n1,K,0,T,A,0,terminate\n",
        [],
    ),
    "a loss is marked": (NEW + A_RUNS + "# loss: 3 records\n9,Core_0,0,T,B,3,preempt\n", []),
    "a release before a loss, its decrement after it": (
        NEW + "0,A,0,SEM,S,0,requestsemaphore,0\n0,A,0,SEM,S,0,increment,1\n"
        "0,S,0,SEM,S,0,lock,1\n0,A,0,SEM,S,0,assigned,1\n1,A,0,SEM,S,0,released,1\n"
        "# loss: 3 records\n1,A,0,SEM,S,0,decrement,0\n1,S,0,SEM,S,0,unlock,0\n",
        [],
    ),
    "a trace from the middle": (
        NEW + "0,C0,0,T,A,5,preempt\n1,C0,0,T,B,2,resume\n2,B,2,R,Q,9,terminate\n"
        "3,C0,0,T,B,2,wait\n4,C0,0,T,A,5,resume\n",
        [],
    ),
    "a semaphore whose counts change at its states": (
        OLD + f"{TAKEN}1,B,0,SEM,S,0,requestsemaphore,1\n1,B,0,SEM,S,0,queued,1\n"
        "1,S,0,SEM,S,0,overfull,2\n1,B,0,SEM,S,0,waiting,2\n2,A,0,SEM,S,0,released,2\n"
        "2,S,0,SEM,S,0,full,1\n2,B,0,SEM,S,0,assigned,1\n3,B,0,SEM,S,0,released,1\n"
        "3,S,0,SEM,S,0,unlock,0\n",
        [],
    ),
    "only increments": (
        NEW + "0,A,0,SEM,S,0,requestsemaphore,0\n0,A,0,SEM,S,0,increment,1\n"
        "0,A,0,SEM,S,0,queued,1\n0,S,0,SEM,S,0,lock,1\n0,A,0,SEM,S,0,assigned,1\n"
        "1,A,0,SEM,S,0,released,1\n1,S,0,SEM,S,0,unlock,0\n",
        [],
    ),
    "only decrements": (
        NEW + f"{TAKEN}1,A,0,SEM,S,0,released,1\n1,A,0,SEM,S,0,decrement,0\n"
        "1,S,0,SEM,S,0,unlock,0\n",
        [],
    ),
    "steps without requests, in the middle": (
        NEW + "4,A,0,SEM,S,0,decrement,1\n4,S,0,SEM,S,0,full,1\n4,B,0,SEM,S,0,assigned,1\n"
        "5,B,0,SEM,S,0,decrement,0\n5,S,0,SEM,S,0,unlock,0\n",
        [],
    ),
    "two exclusive requests before a state": (
        OLD + A_OLD + "2,Core_1,0,T,B,0,resume\n2,S,0,SEM,S,0,ready,0\n"
        "3,A,0,SEM,S,0,exclusivesemaphore,0\n3,B,0,SEM,S,0,exclusivesemaphore,0\n"
        "3,S,0,SEM,S,0,lock,1\n3,S,0,SEM,S,0,overfull,2\n3,A,0,SEM,S,0,assigned,2\n"
        "4,A,0,SEM,S,0,exclusivesemaphore,2\n4,B,0,SEM,S,0,exclusivesemaphore,2\n"
        "4,S,0,SEM,S,0,overfull,4\n",
        [],
    ),
    "an exclusive request is answered when the others have released": (
        OLD + A_OLD + "2,Core_1,0,T,B,0,resume\n2,S,0,SEM,S,0,ready,0\n"
        "3,B,0,SEM,S,0,requestsemaphore,0\n3,S,0,SEM,S,0,lock,1\n3,B,0,SEM,S,0,assigned,1\n"
        "4,A,0,SEM,S,0,exclusivesemaphore,1\n4,S,0,SEM,S,0,overfull,2\n"
        "4,A,0,SEM,S,0,waiting,2\n5,B,0,SEM,S,0,released,2\n5,S,0,SEM,S,0,full,1\n"
        "5,A,0,SEM,S,0,assigned,1\n",
        [],
    ),
    "runnables that were numbered before they began": (
        OLD + A_OLD + "2,A,0,R,Q,3,start\n2,A,0,R,Q,3,terminate\n3,A,0,R,Q,1,start\n"
        "3,A,0,R,Q,1,terminate\n4,A,0,R,Q,2,start\n4,A,0,R,Q,2,terminate\n"
        "5,A,0,R,Q,4,start\n",
        ["instance"],
    ),
    "an old header that repeats itself": (OLD + OLD + A_OLD, ["header-creationdate", *REPEATED]),
    "a callee begins while its caller is suspended": (
        NEW + A_RUNS + "2,A,0,R,Q,0,start\n3,A,0,R,Q,0,suspend\n4,A,0,R,P,0,start\n",
        ["runnable-nesting"],
    ),
    "a task leaves its core, then its runnables do": (
        OLD + A_OLD + "2,A,0,R,Q,0,start\n3,Core_0,0,T,A,0,preempt\n3,A,0,R,Q,0,suspend\n",
        ["runnable-not-suspended", "source-not-running"],
    ),
    "a migration that names the new core": (
        OLD + A_OLD + "3,Core_0,0,T,A,0,preempt\n4,Core_0,0,T,A,0,fullmigration,Core_1\n"
        "4,Core_1,0,T,A,0,resume\n",
        ["note"],
    ),
    "a stimulus that is never triggered writes": (
        NEW + A_RUNS + "2,S,0,SIG,X,0,write,1\n3,A,0,SIG,X,0,read,1\n",
        ["trigger-first"],
    ),
    "the start of an interrupt is held back": (
        NEW + "0,SC,0,SCHED,SC,0,schedule\n0,X_S,0,STI,X_S,0,trigger\n0,X_S,0,I,X,0,activate\n"
        "1,SC,0,I,X,0,interrupt_suspended\n2,C0,0,I,X,0,start\n",
        [],
    ),
}


@pytest.mark.parametrize("case", SHOWN)
def test_what_the_specifications_show_passes(check: Check, case: str) -> None:
    text, warnings = SHOWN[case]
    assert found(check(text)) == []
    assert sorted({rule for _, rule in found(check(text, strict=True))}) == warnings


SPEC = [
    # rule, text, line of the finding
    ("header-version", "#timescale ns\n#version 2.3.0\n0,S,0,STI,S,0,trigger\n", 1),
    ("header-version", "#timescale ns\n0,S,0,STI,S,0,trigger\n", 0),
    ("header-version", "#version two\n#timescale ns\n0,S,0,STI,S,0,trigger\n", 1),
    ("header-version", NEW + "#version 2.3.0\n0,S,0,STI,S,0,trigger\n", 3),
    ("header-timescale", "#version 2.3.0\n0,S,0,STI,S,0,trigger\n", 0),
    ("header-timescale", "#version 2.3.0\n#timescale days\n0,S,0,STI,S,0,trigger\n", 2),
    ("header-timescale", "#version 2.3.0\n0,S,0,STI,S,0,trigger\n#timescale ns\n", 3),
    ("header-mapping", NEW + "#entityMapping 1 A\n#entityMapping 1 B\n", 4),
    ("header-mapping", NEW + "#entityMapping 1\n", 3),
    ("header-table", NEW + "#-0 A\n", 3),
    ("header-type", OLD + "#entityTypeTable\n#-Q A\n", 6),
    ("syntax-fields", NEW + "1,2,3\n", 3),
    ("syntax-fields", NEW + "0,,0,T,A,0,activate\n", 3),
    ("syntax-number", NEW + "x,S,0,STI,S,0,trigger\n", 3),
    ("syntax-number", NEW + "-1,S,0,STI,S,0,trigger\n", 3),
    ("syntax-number", NEW + "0,S,zero,STI,S,0,trigger\n", 3),
    ("syntax-number", NEW + "9" * 30 + ",S,0,STI,S,0,trigger\n", 3),
    ("syntax-line", NEW + "0" * (LINE_BYTES + 1) + "\n", 3),
    ("unknown-type", NEW + "0,A,0,Q,B,0,start\n", 3),
    ("unknown-type", NEW + "0,SIM,0,SYS,SYSTEM,0,start\n", 3),
    ("unknown-event", NEW + "0,C,0,T,A,0,jump\n", 3),
    ("unknown-event", NEW + "0,C,0,T,A,0,fullmigration\n", 3),
    ("unknown-event", OLD + "0,C,0,I,A,0,interrupt_suspended\n", 5),
    ("time-order", NEW + "5,S,0,STI,S,0,trigger\n4,S,1,STI,S,1,trigger\n", 4),
    ("entity-type", NEW + A_RUNS + "2,A,0,R,Core_0,0,start\n", 6),
    ("source-type", NEW + A_RUNS + "2,A,0,T,B,0,start\n", 6),
    ("source-type", NEW + A_RUNS + "2,A,0,T,B,0,activate\n", 6),
    ("source-type", NEW + A_RUNS + "2,Core_0,0,SIG,X,0,write,1\n", 6),
    ("source-self", NEW + "0,X,0,SEM,S,0,lock\n", 3),
    ("source-self", NEW + "0,S,1,STI,S,0,trigger\n", 3),
    ("source-instance", NEW + "0,C,4,T,A,0,start\n", 3),
    ("source-not-running", NEW + A_RUNS + "2,Core_0,0,T,A,0,preempt\n3,A,0,SIG,X,0,read\n", 7),
    ("source-not-running", NEW + A_RUNS + "2,A,9,SIG,X,0,read\n", 6),
    ("source-unknown", NEW + A_RUNS + "2,B,0,SIG,X,0,read\n", 6),
    ("instance", NEW + A_RUNS + "2,A_S,2,STI,A_S,2,trigger\n", 6),
    ("instance", NEW + A_RUNS + "2,A_S,0,T,A,2,activate\n", 6),
    ("instance", NEW + A_RUNS + "2,Core_1,0,T,A,3,start\n", 6),
    ("instance", NEW + A_RUNS + "2,A,0,R,Q,0,start\n3,A,0,R,Q,2,start\n", 7),
    ("instance", NEW + A_RUNS + "2,A,0,SIG,X,1,read\n", 6),
    ("state-process", NEW + A_RUNS + "2,Core_0,0,T,A,0,resume\n", 6),
    ("state-process", NEW + A_RUNS + "2,Core_0,0,T,A,0,terminate\n3,Core_0,0,T,A,0,preempt\n", 7),
    ("state-runnable", NEW + A_RUNS + "2,A,0,R,Q,0,start\n3,A,0,R,Q,0,resume\n", 7),
    ("runnable-source", NEW + A_RUNS + "2,A,0,R,Q,0,start\n3,A,1,R,Q,0,terminate\n", 7),
    (
        "runnable-nesting",
        NEW + A_RUNS + "2,A,0,R,Q,0,start\n3,A,0,R,P,0,start\n4,A,0,R,Q,0,terminate\n",
        8,
    ),
    (
        "runnable-nesting",
        NEW + A_RUNS + "2,A,0,R,Q,0,start\n3,A,0,R,P,0,start\n4,A,0,R,Q,0,suspend\n",
        8,
    ),
    (
        "runnable-nesting",
        NEW + A_RUNS + "2,A,0,R,Q,0,start\n2,A,0,R,P,0,start\n3,A,0,R,P,0,suspend\n"
        "3,A,0,R,Q,0,suspend\n4,A,0,R,P,0,resume\n",
        10,
    ),
    ("runnable-open", NEW + A_RUNS + "2,A,0,R,Q,0,start\n3,Core_0,0,T,A,0,terminate\n", 7),
    ("runnable-not-suspended", NEW + A_RUNS + "2,A,0,R,Q,0,start\n3,Core_0,0,T,A,0,wait\n", 7),
    ("core-busy", NEW + A_RUNS + "2,Core_0,0,T,B,0,start\n", 6),
    ("wrong-core", NEW + A_RUNS + "2,Core_1,0,T,A,0,preempt\n", 6),
    (
        "wrong-core",
        NEW + A_RUNS + "2,Core_0,0,T,A,0,wait\n3,Core_1,0,T,A,0,release\n",
        7,
    ),
    ("trigger-first", NEW + A_RUNS + "2,A_S,1,T,A,1,activate\n", 6),
    ("note", NEW + A_RUNS + "2,A,0,EVENT,E,0,set_event\n", 6),
    ("note", NEW + A_RUNS + "2,A,0,EVENT,E,0,set_event,Core_0\n", 6),
    ("note", OLD + A_RUNS + "2,A,0,SIG,X,0,write\n", 8),
    ("note", NEW + "0,S,0,SEM,S,0,lock,many\n", 3),
    ("state-semaphore", NEW + "0,S,0,SEM,S,0,lock\n1,S,0,SEM,S,0,used\n", 4),
    ("state-semaphore", OLD + "0,S,0,SEM,S,0,lock\n1,S,0,SEM,S,0,ready\n", 6),
    # A counting semaphore, ready after its first request.
    (
        "state-semaphore",
        OLD + A_OLD + "2,A,0,SEM,S,0,requestsemaphore,0\n2,S,0,SEM,S,0,ready,0\n"
        "2,S,0,SEM,S,0,used,1\n",
        9,
    ),
    ("semaphore-count", OLD + "0,S,0,SEM,S,0,ready,2\n0,S,0,SEM,S,0,used,1\n", 5),
    # An exclusive request while another process owns one of two permits.
    (
        "semaphore-order",
        OLD + A_OLD + "2,Core_1,0,T,B,0,resume\n2,S,0,SEM,S,0,ready,0\n"
        "3,B,0,SEM,S,0,requestsemaphore,0\n3,S,0,SEM,S,0,used,1\n3,B,0,SEM,S,0,assigned,1\n"
        "4,A,0,SEM,S,0,exclusivesemaphore,1\n4,S,0,SEM,S,0,lock_used,2\n"
        "4,A,0,SEM,S,0,assigned,2\n",
        15,
    ),
    ("semaphore-count", NEW + "0,A,0,SEM,S,0,increment,1\n0,S,0,SEM,S,0,lock,2\n", 4),
    ("semaphore-count", NEW + "0,A,0,SEM,S,0,increment,1\n0,A,0,SEM,S,0,queued,2\n", 4),
    ("semaphore-count", NEW + "0,S,0,SEM,S,0,free,0\n0,A,0,SEM,S,0,decrement\n", 4),
    ("semaphore-count", NEW + "0,A,0,SEM,S,0,increment,1\n0,S,0,SEM,S,0,free,1\n", 4),
    ("semaphore-order", NEW + "0,S,0,SEM,S,0,free\n0,A,0,SEM,S,0,waiting\n", 4),
    ("semaphore-note", NEW + "0,S,0,SEM,S,0,lock,1\n", 3),
    # A common tool writes the steps, but omits releases or writes them too late.
    ("semaphore-order", NEW + f"{TAKEN}9,A,0,SEM,S,0,decrement,0\n", 7),
    ("semaphore-order", NEW + f"{TAKEN}9,A,0,SEM,S,0,increment,2\n", 7),
    ("semaphore-count", NEW + f"{TAKEN}9,S,0,SEM,S,0,unlock,0\n", 7),
    ("semaphore-count", NEW + f"{TAKEN}9,A,0,SEM,S,0,released,2\n", 7),
    ("semaphore-count", OLD + f"{TAKEN}9,S,0,SEM,S,0,overfull,3\n", 9),
    ("header-version", OLD + "#version 2.1.4\n0,SIM,-1,STI,S,0,trigger\n", 5),
    ("header-timescale", OLD + "#timeScale us\n0,SIM,-1,STI,S,0,trigger\n", 5),
    ("header-creationdate", NEW + A_RUNS + "#creationDate 2016-01-01T00:00:00Z\n", 6),
    ("header-mapping", NEW + A_RUNS + "#entityMapping 3 A\n", 6),
    ("syntax-number", NEW + A_RUNS + "2,A,0,R,Q,-3,start\n", 6),
    ("trigger-first", NEW + "0,S,4,T,A,0,activate\n0,S,4,STI,S,4,trigger\n", 3),
    ("trigger-first", NEW + A_RUNS + "2,S,0,SIG,X,0,write,1\n3,S,0,STI,S,0,trigger\n", 6),
    (
        "instance",
        OLD + A_OLD + "2,A,0,R,Q,0,start\n2,A,0,R,Q,0,terminate\n3,A,0,R,Q,2,start\n"
        "3,A,0,R,Q,2,terminate\n4,A,0,R,Q,0,start\n",
        12,
    ),
]


def test_a_source_of_the_wrong_type_is_one_finding(check: Check) -> None:
    text = NEW + A_RUNS + "2,A,0,T,B,0,resume\n3,Core_1,0,T,B,0,preempt\n"
    assert found(check(text)) == [(6, "source-type")]


@pytest.mark.parametrize(("rule", "text", "line"), SPEC)
def test_every_law_that_is_broken_is_named(check: Check, rule: str, text: str, line: int) -> None:
    assert (line, rule) in found(check(text))


def test_every_rule_of_the_page_can_be_found(check: Check) -> None:
    page = (Path(__file__).parents[3] / "docs" / "btf.md").read_text(encoding="utf-8")
    described = {line.split("`")[1] for line in page.splitlines() if line.startswith("| `")}
    shown = {rule for rule, _, _ in SPEC}
    shown |= {rule for _, warnings in SHOWN.values() for rule in warnings}
    shown |= {"dialect-type", "dialect-instance", "header-keyword", "header-creationdate"}
    shown |= {"header-creator", "unspecified-event"}
    assert described == shown
    text = "#version 2.1\n#creationDate today\n#ringSize 7\n0,C,0,ISR,A,,start\n1,C,0,C,C,0,idle\n"
    rules = {rule for _, rule in found(check(text, strict=True))}
    assert rules >= {"dialect-type", "dialect-instance", "header-keyword", "header-creationdate"}
    assert rules >= {"header-creator", "unspecified-event"}


def test_the_profile_can_be_chosen(check: Check) -> None:
    text = NEW + "0,SIM,-1,SYS,SYSTEM,0,start\n"
    assert found(check(text)) == [(3, "unknown-type")]
    assert found(check(text, profile=Profile.OLD)) == []


def test_every_event_of_the_tables_is_known_to_a_version() -> None:
    assert all(rule.old or rule.new for rule in RULES.values())


def test_only_the_first_findings_are_listed_and_all_are_counted(check: Check) -> None:
    report = check(NEW + "x\n" * (LISTED + 5))
    assert len(report.findings.listed) == LISTED
    assert report.findings.total == LISTED + 5


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.btf.gz"
    whole = gzip.compress((NEW + A_RUNS).encode())
    path.write_bytes(whole)
    assert check_btf(path).events == 3
    path.write_bytes(whole[:-12])
    with pytest.raises(ForeignFile, match="copy it again"):
        check_btf(path)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\0\1\2", b"\x1f\x8bnonsense", b"hello\nworld\n"])
def test_what_is_no_trace_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.btf"
    path.write_bytes(data)
    with pytest.raises(TapeError):
        check_btf(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TapeMissing):
        check_btf(tmp_path / "x.btf")
    with pytest.raises(TapeMissing):
        check_btf(tmp_path)


def test_the_command_says_lines_rules_and_reasons(tickertape_inside: Command) -> None:
    done = tickertape_inside("btf", "check", DATA / "two_errors.btf")
    assert (done.returncode, done.stderr) == (1, "")
    first = done.stdout.splitlines()[0]
    assert first.startswith(f"{DATA / 'two_errors.btf'}:8: error: FAST_1 ")
    assert first.endswith("[source-unknown]")
    as_json = tickertape_inside("btf", "check", "--json", DATA / "two_errors.btf")
    values = json.loads(as_json.stdout)
    assert (values["total"], values["profile"], values["events"]) == (2, "2.1", 6)
    assert [one["rule"] for one in values["findings"]] == ["source-unknown", "wrong-core"]


def test_exit_codes(tickertape_inside: Command, tmp_path: Path) -> None:
    (tmp_path / "good.btf").write_text(NEW + A_RUNS)
    assert tickertape_inside("btf", "check", "--strict", "good.btf").returncode == 0
    (tmp_path / "not.btf").write_bytes(bytes(100))
    for name in ("not.btf", "missing.btf"):
        done = tickertape_inside("btf", "check", name)
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1
