"""`print` and `info` on tapes with known content."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.command import COMMAND, Command, assert_complaint
from tests.support.target import target_with_events

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.command import Command

NAME = (
    "    0.000000000  0  consumer      THREAD   NAME                      "
    'pid=0 tid=2:consumer "consumer"'
)
TURN = """\
    0.000000000  0  consumer      SCHED    CONTEXT_SWITCH            prev_tid=2:consumer next_tid=1:producer
    0.000012000  0  producer      SYNC     MUTEX_LOCK_GRANTED        mutex=0x20000000 tid=1:producer
    0.000024000  0  producer      SCHED    CONTEXT_SWITCH            prev_tid=1:producer next_tid=2:consumer
    0.000032000  0  consumer      USER     USER_1                    data0=0x0 data1=0xbeef
"""  # noqa: E501 - lines as they are printed


def test_every_event_is_one_line(tickertape_inside: Command, tape: Path) -> None:
    done = tickertape_inside("print", tape)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == 81
    assert lines[0] == NAME
    assert "\n".join(lines[1:5]) + "\n" == TURN


def test_count_class_and_task_choose_lines(tickertape_inside: Command, tape: Path) -> None:
    every = tickertape_inside("print", tape).stdout.splitlines()
    assert tickertape_inside("print", tape, "-n", "3").stdout.splitlines() == every[:3]
    some = tickertape_inside(
        "print", tape, "--class", "user", "--class", "SYNC"
    ).stdout.splitlines()
    assert some == [line for line in every if "  USER " in line or "  SYNC " in line]
    mine = tickertape_inside("print", tape, "--task", "producer").stdout.splitlines()
    assert mine == [line for line in every if line[20:28] == "producer"]
    assert len(mine) == 40


def test_losses_stand_where_they_happened(
    tickertape_inside: Command, make_tape: Callable[[bytes], Path]
) -> None:
    target = target_with_events()
    target.finish()
    frames = [sent for sent in target.frames if sent.number not in {5, 6}]
    lines = tickertape_inside("print", make_tape(b"".join(sent.data for sent in frames))).stdout
    gap = [line for line in lines.splitlines() if line.startswith("--")]
    assert gap == ["-- 8 records missing on cpu 0, stream 0: 0 dropped, 0 overwritten, 8 damaged"]


def test_a_reset_is_told(tickertape_inside: Command, make_tape: Callable[[bytes], Path]) -> None:
    boots = [target_with_events(boot_id=number).sent_bytes() for number in (1, 2)]
    tape = make_tape(b"".join(boots))
    lines = tickertape_inside("print", tape).stdout.splitlines()
    assert lines.count("-- the target was reset") == 1
    assert json.loads(tickertape_inside("info", tape, "--json").stdout)["epochs"] == 2


def test_a_reader_that_has_enough_is_no_error(tape: Path) -> None:
    with subprocess.Popen(
        [COMMAND, "print", tape], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(100) == 0


def test_colours_are_for_terminals_only(tape: Path) -> None:
    ours, theirs = os.openpty()
    for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        subprocess.run(
            [COMMAND, "print", tape, "-n", "1"],
            stdout=theirs,
            env={**os.environ, **environment},
            check=True,
        )
        assert (b"\x1b[36mconsumer" in os.read(ours, 1000)) == coloured
    os.close(ours)
    os.close(theirs)


def test_info_says_everything_that_was_promised(tickertape_inside: Command, tape: Path) -> None:
    info = json.loads(tickertape_inside("info", tape, "--json").stdout)
    assert info["events"] == 81
    assert info["duration_ns"] == (20 * 1000 - 200) * 40
    assert (info["tick_hz"], info["cpus"], info["build_id"]) == (25_000_000, 1, "")
    assert info["target"] == "simulated"
    assert [(task["tid"], task["name"]) for task in info["tasks"]] == [
        (1, "producer"),
        (2, "consumer"),
    ]
    shares = [task["cpu_share"] for task in info["tasks"]]
    assert shares == pytest.approx([12_000 / 19_800, 7_800 / 19_800])
    assert info["balance"] == {
        "offered": 83,
        "delivered": 83,
        "overwritten": 0,
        "dropped": 0,
        "damaged": 0,
    }
    assert info["classes"] == {"SCHED": 40, "SYNC": 20, "USER": 20, "THREAD": 1}
    assert (info["final"], info["closed"], info["complete"]) == (True, True, True)
    assert (info["issues"], info["unknown_ns"], info["lost_records"]) == ([], 0, 0)


def test_info_adds_up_when_records_are_lost(
    tickertape_inside: Command, make_tape: Callable[[bytes], Path]
) -> None:
    target = target_with_events()
    for _ in range(100):
        target.record((0, 0), 9, 4)
    target.finish()
    frames = [sent.data for sent in target.frames if sent.number not in {7, 8, 12}]
    info = json.loads(tickertape_inside("info", make_tape(b"".join(frames)), "--json").stdout)
    balance = info["balance"]
    assert balance["damaged"] == 12
    assert balance["dropped"] > 0
    assert balance["offered"] == 183
    assert balance["offered"] == sum(balance.values()) - balance["offered"]
    assert info["unknown_ns"] > 0
    assert not info["complete"]


def test_info_for_people_fits_a_screen(tickertape_inside: Command, tape: Path) -> None:
    done = tickertape_inside("info", tape)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) <= 40
    text = " ".join(done.stdout.split())
    assert "83 offered = 83 delivered + 0 overwritten + 0 dropped + 0 damaged" in text
    assert "producer 1 0.000480 60.61%" in text


def test_build_and_import_are_quick() -> None:
    """Help does not load numpy, because every call would pay for it."""
    code = "import sys, tickertape, tickertape.cli.main; print('numpy' in sys.modules)"
    python = COMMAND.with_name("python")
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("link", ["unix:nowhere", "swo:socket://127.0.0.1:1", "file:nothing.bin"])
def test_an_address_of_a_link_is_no_tape(tickertape_inside: Command, link: str) -> None:
    """`print --follow` with a link address fails; it once looked for a tape of that name."""
    assert_complaint(tickertape_inside("print", "--follow", link), 3)


def test_the_package_is_a_program_and_reports_its_build() -> None:
    python = COMMAND.with_name("python")
    command = [str(python), "-m", "tickertape", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(
        r"tickertape 0\.\d+\.\d+\n"
        r"protocol 1\.\d+, tape 1\.\d+, compiled part: (yes|no)\n"
        r"Python 3\.\d+\.\S+, numpy \d\S+, \S+ \S+\n",
        done.stdout,
    )


INTERRUPTED_IMPORT = """
import sys
class Interrupt:
    def find_spec(self, name, *_):
        if name == "tickertape.cli.main":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from tickertape.__main__ import main
sys.exit(main())
"""


def test_ctrl_c_during_the_imports_is_one_line() -> None:
    python = COMMAND.with_name("python")
    command = [str(python), "-c", INTERRUPTED_IMPORT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "tickertape: interrupted; start again\n"
