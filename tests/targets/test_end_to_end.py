"""End to end: a running kernel, its trace on a tape, and the output of the commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.command import COMMAND, Command
from tests.support.patience import HANG_S
from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from tests.support.command import Command

TARGETS = ("native", "qemu", "qemu-m3", "qemu-dual")
THREADS = {"motor", "sensor", "control", "filter", "logger", "report", "supervisor", "tracer"}


@pytest.mark.parametrize("target", TARGETS)
def test_demo_shows_events_shares_balance_and_where_the_tape_is(
    tickertape: Command, tmp_path: Path, target: str
) -> None:
    done = tickertape("demo", "--target", target, "--duration", "0.4")
    assert (done.returncode, done.stderr) == (0, "")
    assert "CONTEXT_SWITCH" in tickertape("print", "demo.tape").stdout
    text = done.stdout
    assert text.count("pid=0 tid=") >= 5
    for part in ("Events by class", "CPU time by task", "Balance of records", "logger", "SCHED"):
        assert part in text
    assert text.splitlines()[-1].startswith("demo.tape: ")
    assert (tmp_path / "demo.tape").is_file()


def test_a_run_on_two_targets_is_compared(tickertape: Command, tmp_path: Path) -> None:
    words = ("run", "--target", "native", "--and", "qemu:mps2-an385", "--example", "messages")
    done = tickertape(*words, "-o", "T.tape")
    assert (done.returncode, done.stderr) == (0, "")
    first, second, *differences = done.stdout.splitlines()
    assert (first.split(":")[0], second.split(":")[0]) == ("T.tape", "T-qemu-mps2-an385.tape")
    for name in ("T.tape", "T-qemu-mps2-an385.tape"):
        with TapeReader(tmp_path / name) as reader:
            total = balance_of(reader).total
        assert total.offered == total.delivered + total.overwritten + total.dropped + total.damaged
        assert total.offered > 100
    assert differences == tickertape("diff", "T.tape", "T-qemu-mps2-an385.tape").stdout.splitlines()
    assert differences[0] == "different rates of the clocks: 100000000 Hz and 25000000 Hz"
    refused = tickertape(*words, "-o", "U.tape", "--raw", "U.bin")
    assert refused.returncode == 2
    assert "--raw does not go with --and" in refused.stderr
    assert not (tmp_path / "U.tape").exists()


@pytest.mark.parametrize("target", TARGETS)
def test_every_event_of_a_run_is_on_the_tape(tickertape: Command, target: str) -> None:
    done = tickertape("run", "--target", target, "-o", "t.tape", "--duration", "0.4")
    assert (done.returncode, done.stderr) == (0, "")
    info = json.loads(tickertape("info", "t.tape", "--json").stdout)
    balance = info["balance"]
    assert balance["offered"] == balance["delivered"] > 1000
    assert info["complete"]
    assert {task["name"] for task in info["tasks"]} >= THREADS | {"idle"}
    known = [one["run_ns"] for one in (*info["tasks"], *info["interrupts"])]
    assert sum(known) + info["kernel_ns"] == pytest.approx(info["known_ns"], abs=2 * len(known))
    shares = [one["cpu_share"] for one in (*info["tasks"], *info["interrupts"])]
    assert sum(shares) == pytest.approx(sum(known) / info["observed_ns"])  # of one CPU
    observed_ns = info["cpus"] * info["observed_ns"]
    assert info["known_ns"] + info["unknown_ns"] == pytest.approx(observed_ns, abs=2)
    assert 0 < info["unknown_ns"] < 1_000_000  # until the first thread runs, and after STOP
    assert info["duration_ns"] == pytest.approx(0.4e9, rel=0.01)
    assert len(info["build_id"]) == 40
    assert info["cpus"] == (2 if target == "qemu-dual" else 1)


@pytest.mark.parametrize("target", ["native", "qemu"])
def test_two_runs_are_the_same(tickertape: Command, target: str) -> None:
    runs = []
    for name in ("one.tape", "two.tape"):
        tickertape("run", "-q", "--target", target, "-o", name, "--duration", "0.3")
        runs.append(tickertape("print", name).stdout)
    assert len(runs[0].splitlines()) > 1000
    assert runs[0] == runs[1]


@pytest.mark.parametrize("target", ["native", "qemu"])
def test_a_run_in_real_time_lasts_as_long_as_it_says(
    tickertape: Command, tmp_path: Path, target: str
) -> None:
    words = ["run", "--target", target, "-o", "t.tape", "--duration", "3", "--realtime"]
    done = tickertape(*words)
    assert (done.returncode, done.stderr) == (0, "")
    # In virtual time the run would take a fraction of a second.
    assert float(done.stdout.split(" events in ")[1].split()[0]) >= 2.5
    with TapeReader(tmp_path / "t.tape") as reader:
        assert balance_of(reader).total.holds


def test_the_trace_shows_priority_inheritance(tickertape: Command) -> None:
    tickertape("run", "-q", "--target", "native", "-o", "t.tape", "--duration", "0.3")
    lines = tickertape("print", "t.tape").stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if "MUTEX_INHERIT" in line)
    assert "mutex=bus owner=5:logger" in lines[at - 1]
    assert lines[at].split()[2] == "control"
    assert lines[at].endswith("tid=5:logger priority=18")


def wait_for_records(tape: Path) -> None:
    """Wait until a growing tape contains records."""
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline:
        if tape.is_file() and tape.stat().st_size > 10_000:
            return
        time.sleep(0.02)
    raise AssertionError(tape)


def children_of(pid: int) -> list[int]:
    done = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in done.stdout.split()]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", ["demo", "run"])
@pytest.mark.parametrize("target", ["native", "qemu"])
def test_ctrl_c_leaves_a_valid_tape(
    tmp_path: Path, target: str, command: str, number: signal.Signals
) -> None:
    tape = tmp_path / "t.tape"
    words: list[str | Path] = [
        COMMAND,
        command,
        "--target",
        target,
        "-o",
        tape,
        "--duration",
        "100000",
    ]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        wait_for_records(tape)
        children = children_of(process.pid)
        process.send_signal(number)
        out, err = process.communicate(timeout=HANG_S)
    assert (process.returncode, err) == (0, "")
    assert out.splitlines()[-1].startswith(f"{tape}: ")
    assert children
    assert not any(is_alive(child) for child in children)
    with TapeReader(tape) as reader:
        assert reader.closed
        assert reader.record_count > 0
        assert reader.issues == []


def test_without_a_compiler_demo_says_what_to_type(tickertape: Command, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    done = tickertape("demo", env={**os.environ, "PATH": str(tmp_path / "bin")})
    assert done.returncode == 6
    assert done.stderr == (
        "tickertape: arm-none-eabi-gcc is not installed; "
        "type: sudo apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi\n"
    )


def test_without_the_emulator_demo_says_what_to_type(tickertape: Command, tmp_path: Path) -> None:
    tickertape("build")
    (tmp_path / "bin").mkdir()
    for folder in filter(Path.is_dir, map(Path, os.get_exec_path())):
        if folder.name == "ccache":  # ccache finds no compiler in a PATH that contains links only
            continue
        for tool in folder.iterdir():
            link = tmp_path / "bin" / tool.name
            if tool.name != "qemu-system-arm" and not link.is_symlink():
                link.symlink_to(tool)
    done = tickertape("demo", env={**os.environ, "PATH": str(tmp_path / "bin")})
    assert done.returncode == 7
    assert done.stderr == (
        "tickertape: qemu-system-arm is not installed; type: sudo apt-get install qemu-system-arm\n"
    )


def test_no_such_example(tickertape: Command) -> None:
    done = tickertape("build", "--target", "native", "--example", "chess")
    assert done.returncode == 6
    assert done.stderr.startswith("tickertape: there is no example 'chess'; choose one of: ")


def test_names_of_another_build_are_refused(tickertape: Command) -> None:
    tickertape("run", "-q", "--target", "native", "-o", "t.tape", "--duration", "0.05")
    other = tickertape("build", "--target", "qemu").stdout.strip()
    done = tickertape("print", "t.tape", "--elf", other)
    assert (done.returncode, done.stdout) == (6, "")
    assert done.stderr.count("\n") == 1
    assert "add --force" in done.stderr
    assert tickertape("print", "t.tape", "--elf", other, "--force").returncode == 0
