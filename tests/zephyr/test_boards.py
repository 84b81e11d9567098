"""Traces of Zephyr programs on emulated boards; needs a real Zephyr tree."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.support.zephyr_boards import (
    APPS,
    ARM64_PREFIX,
    BOARDS,
    BUILD,
    BUILD_SECONDS,
    RUN_SECONDS,
    SAMPLES,
    TWO_CPUS,
    Trace,
    build,
    console_of,
    needs_arm64,
    needs_zephyr,
    qemu,
    qemu_of_two,
    read,
    refusal_of,
    run,
)
from tickertape.analysis.balance import balance_of
from tickertape.analysis.kernel_findings import Law, Verdict
from tickertape.analysis.kernel_laws import kernel_laws_of
from tickertape.broker import ControlServer
from tickertape.collector import CaptureOptions, capture
from tickertape.control import ControlClient
from tickertape.control.channel import LinkChannel
from tickertape.link import open_link
from tickertape.protocol.events import EventClass
from tickertape.protocol.wire import MAX_COMMAND_PAYLOAD_BYTES, HelloFlag
from tickertape.symbols.elf import read_symbols
from tickertape.tape import TapeReader, iter_events
from tickertape.targets.process import ProcessRun

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.decode.events import Event

pytestmark = [needs_zephyr, pytest.mark.timeout(BUILD_SECONDS + 2 * RUN_SECONDS)]

# Events of `high` waiting for a mutex that `low` owns, with their objects and threads.
CONTENTION = [
    ("KERCALL.SYNC_MUTEX_LOCK_ENTER", "bus"),
    ("SYNC.MUTEX_LOCK_DENIED", "bus", "low"),
    ("SYNC.MUTEX_INHERIT", "low"),
    ("THREAD.MUTEX", "high"),
    ("SCHED.CONTEXT_SWITCH", "high", "low"),
    ("KERCALL.SYNC_MUTEX_UNLOCK_ENTER", "bus"),
    ("SYNC.MUTEX_UNLOCK", "bus", "low"),
    ("SYNC.MUTEX_RESTORE", "low"),
    ("THREAD.READY", "high"),
    ("SCHED.CONTEXT_SWITCH", "low", "high"),
    ("SYNC.MUTEX_LOCK_GRANTED", "bus", "high"),
    ("KERCALL.SYNC_MUTEX_LOCK_EXIT",),
]
LOGGED = 80 * 40  # ROUNDS * PER_ROUND of apps/shark
TURNS = 20
LONGEST = "x" * MAX_COMMAND_PAYLOAD_BYTES
SWITCH = "SCHED.CONTEXT_SWITCH"
CHOSEN = '/ { chosen { tickertape,uart = &uart1; }; }; &uart1 { status = "okay"; };'
# Newer linkers warn about the layout of Zephyr 3.3's images for two CPUs.
QUIET = "-DEXTRA_LDFLAGS=-Wl,--no-warn-rwx-segments"
TWO_CPUS_BYTES = 100_000
NS_PER_S = 1_000_000_000
PERIODS_MS = 20 * 500  # ROUNDS * PERIOD_MS of apps/low_power
RUNTIME_IDLE, STANDBY = 1, 3  # enum pm_state
# After NETWORK_RECORDS records the network sample has sent more than ten datagrams. Commands are
# datagrams too and cause records; therefore the test asks only every ASK_S.
NETWORK_RECORDS, ASK_S = 10_000, 0.1
# `rx_q[0]` and `net_mgmt` belong to the network stack, the others to the kernel and the program.
NETWORK_THREADS = {"rx_q[0]", "net_mgmt", "sysworkq", "tickertape", "main"}

# Events of main in each step of apps/objects.
STEPS = {
    "semaphore, too late": (
        "SYNC_SEM_WAIT_ENTER SEM_WAIT_BLOCKED SEM WAIT_TIMEOUT SYNC_SEM_WAIT_EXIT"
    ),
    "semaphore, tried": "SYNC_SEM_WAIT_ENTER SEM_TRY_REFUSED SYNC_SEM_WAIT_EXIT",
    "mutex, twice": (
        "SYNC_MUTEX_LOCK_ENTER MUTEX_LOCK_GRANTED SYNC_MUTEX_LOCK_EXIT "
        "SYNC_MUTEX_LOCK_ENTER SYNC_MUTEX_LOCK_EXIT "
        "SYNC_MUTEX_UNLOCK_ENTER SYNC_MUTEX_UNLOCK_EXIT "
        "SYNC_MUTEX_UNLOCK_ENTER MUTEX_UNLOCK SYNC_MUTEX_UNLOCK_EXIT"
    ),
    "condition": (
        "SYNC_CONDVAR_WAIT_ENTER COND_WAIT SYNC_MUTEX_UNLOCK_ENTER MUTEX_UNLOCK "
        "SYNC_MUTEX_UNLOCK_EXIT CONDVAR "
        "SYNC_MUTEX_LOCK_ENTER MUTEX_LOCK_DENIED MUTEX_INHERIT MUTEX MUTEX_LOCK_GRANTED "
        "SYNC_MUTEX_LOCK_EXIT SYNC_CONDVAR_WAIT_EXIT"
    ),
    "event": "FLAGS_WAIT_ENTER FLAGS_WAIT SIGWAITINFO FLAGS_WAIT_EXIT",
    "timer": (
        "TIMER_SETTIME_ENTER TIMER_SETTIME_EXIT THREAD_SLEEP_ENTER NANOSLEEP THREAD_SLEEP_EXIT "
        "TIMER_SETTIME_ENTER TIMER_SETTIME_EXIT"
    ),
    "fifo": "QUEUE_PUT_ENTER SPULSE QUEUE_PUT_EXIT QUEUE_GET_ENTER RPULSE QUEUE_GET_EXIT",
    "lifo": "QUEUE_PUT_ENTER SPULSE QUEUE_PUT_EXIT QUEUE_GET_ENTER RPULSE QUEUE_GET_EXIT",
    "stack": "QUEUE_PUT_ENTER SPULSE QUEUE_PUT_EXIT QUEUE_GET_ENTER RPULSE QUEUE_GET_EXIT",
    "message queue": "QUEUE_PUT_ENTER SPULSE QUEUE_PUT_EXIT QUEUE_GET_ENTER RPULSE QUEUE_GET_EXIT",
    "message queue, waiting": "QUEUE_GET_ENTER RECEIVE RPULSE QUEUE_GET_EXIT",
    "pipe": "QUEUE_PUT_ENTER SPULSE QUEUE_PUT_EXIT QUEUE_GET_ENTER RPULSE QUEUE_GET_EXIT",
    "mailbox": "QUEUE_PUT_ENTER SPULSE SEND QUEUE_PUT_EXIT",
    "memory slab": "MEMORY_ALLOC_ENTER MEMORY_ALLOC_EXIT MEMORY_FREE_ENTER MEMORY_FREE_EXIT",
    "heap": "MEMORY_ALLOC_ENTER MEMORY_ALLOC_EXIT MEMORY_FREE_ENTER MEMORY_FREE_EXIT",
    "work": "WORK_ENTER STIMULUS READY WORK_EXIT",
    "poll": "POLL_ENTER POLL_EXIT",
    "suspend": (
        "THREAD_SUSPEND_ENTER STOPPED THREAD_SUSPEND_EXIT THREAD_RESUME_ENTER THREAD_RESUME_EXIT"
    ),
    "priority": "PRIORITY",
    "join": "READY THREAD_JOIN_ENTER JOIN THREAD_JOIN_EXIT",
    "yield": "SCHED_YIELD_ENTER SCHED_YIELD_EXIT",
}


def words_of(trace: Trace, event: Event) -> tuple[str, ...]:
    """Return the event's name, then the names of the threads and objects in its words."""
    names = {tid: name for name, tid in trace.tids.items()}
    told = []
    for field, word in zip(event.type.fields, event.words, strict=False):
        if field.type == "thread":
            told.append(names[word])
        elif field.type == "object":
            told.append(str(trace.symbols.lookup(word)))
    return (event.name, *told)


def turns_of(trace: Trace) -> list[list[tuple[str, ...]]]:
    """Return the events of each turn, from the USER_0 that begins it."""
    begins = [row for row, event in enumerate(trace.events) if event.name == "USER.USER_0"]
    slices = pairwise([*begins, len(trace.events)])
    return [[words_of(trace, event) for event in trace.events[a:b]] for a, b in slices]


@pytest.mark.parametrize(
    ("board", "tracing"), [*((board, "none") for board in BOARDS), ("mps2_an385", "user")]
)
def test_contended_mutex_in_its_order(board: str, tracing: str, tmp_path: Path) -> None:
    option = f"-DCONFIG_TRACING_{tracing.upper()}=y"
    folder = build(APPS / "contended", board, option, name=f"contended-{tracing}")
    trace = run(folder, board, tmp_path / "T.tape")
    turns = turns_of(trace)
    assert len(turns) == TURNS
    for turn in turns:
        lock = turn.index(("KERCALL.SYNC_MUTEX_LOCK_ENTER", "bus"))
        told = [entry for entry in turn[lock:] if entry in CONTENTION]
        assert told[: len(CONTENTION)] == CONTENTION
    with TapeReader(tmp_path / "T.tape") as reader:
        laws = kernel_laws_of(reader)
    for law in (Law.ONE_CPU, Law.ONE_OWNER, Law.READY_FIRST):
        assert laws[law].verdict is Verdict.HOLDS, laws[law].violations


def test_few_priorities_are_enough_for_the_drain(tmp_path: Path) -> None:
    options = ("-DCONFIG_NUM_PREEMPT_PRIORITIES=10", "-DCONFIG_ASSERT=y")
    folder = build(APPS / "contended", "mps2_an385", *options, name="contended-priorities")
    trace = run(folder, "mps2_an385", tmp_path / "T.tape")
    priorities = {event.words[1] for event in trace.events if event.name == "SCHED.PRIORITY"}
    assert max(priorities) <= 10 + 16, "none wraps below zero"


def test_a_system_sleeps_as_deep_as_without_a_recorder(tmp_path: Path) -> None:
    board = "mps2_an385"
    stopped = build(APPS / "low_power", board, "-DCONFIG_TICKERTAPE_START=n", name="stopped")
    deep, deep_ms, light = map(int, re.findall(r"\d+", console_of(stopped, board))[-3:])
    assert (deep, light) == (20, 0), "once in each period"
    assert deep_ms >= PERIODS_MS
    trace = run(build(APPS / "low_power", board), board, tmp_path / "T.tape")
    text = (BUILD / f"{board}-low_power/console.txt").read_text()
    deep, deep_ms, light = map(int, re.findall(r"\d+", text)[-3:])
    assert deep_ms >= 0.95 * PERIODS_MS
    names = [event.name for event in trace.events]
    told = [
        event for event in trace.events[: names.index("USER.USER_1")] if "SYSTEM." in event.name
    ]
    assert [event.name for event in told] == ["SYSTEM.SUSPEND", "SYSTEM.RESUME"] * (deep + light)
    states = [event.words[0] for event in told[1::2]]
    assert (states.count(STANDBY), states.count(RUNTIME_IDLE)) == (deep, light)


@pytest.mark.parametrize("board", BOARDS)
def test_hello_tape(board: str, tmp_path: Path) -> None:
    trace = run(build(SAMPLES / "hello_tape", board), board, tmp_path / "T.tape", seconds=2)
    assert {"main", "idle", "sensor", "logger", "tickertape"} <= trace.tids.keys()
    names = {event.name for event in trace.events}
    assert {"USER.USER_0", "USER.USER_1", "SYNC.MUTEX_INHERIT", "INT.ENTRY"} <= names
    interrupts = {event.words[0] for event in trace.events if event.name == "INT.ENTRY"}
    assert interrupts == {15}, "the tick, and nothing of the link"


def steps_of(trace: Trace) -> list[str]:
    """Return the names of main's events in each step, without those of interrupts."""
    steps: list[list[str]] = []
    running, inside, in_step = 0, 0, False
    for event in trace.events:
        kind, name = event.name.split(".")
        if kind == "SCHED" and name == "CONTEXT_SWITCH":
            running = event.words[1]
        elif kind == "INT":
            inside += {"ENTRY": 1, "EXIT": -1}.get(name, 0)
        elif running == trace.tids["main"] and not inside:
            if kind == "USER":
                in_step = name == "USER_0"
                steps.extend([[]] if in_step else [])
            elif name in {"CREATE", "NAME"}:
                in_step = False  # main prepares the next step
            elif in_step:
                steps[-1].append(name)
    return [" ".join(names) for names in steps]


@pytest.mark.parametrize("board", BOARDS)
def test_every_kind_of_object_tells_what_is_done_to_it(board: str, tmp_path: Path) -> None:
    trace = run(build(APPS / "objects", board), board, tmp_path / "T.tape")
    steps = steps_of(trace)
    assert dict(zip(STEPS, steps, strict=False)) == STEPS
    assert len(steps) == len(STEPS) + 1, "and the end"


def test_a_file_by_semihosting(tickertape: Command, tmp_path: Path) -> None:
    board = "mps2_an385"
    options = ("-DCONFIG_SEMIHOST=y", "-DCONFIG_TICKERTAPE_LINK_SEMIHOSTING=y")
    folder = build(APPS / "contended", board, *options, name="contended-file")
    done = subprocess.run(
        [*qemu(board, folder), "-serial", "null"], cwd=tmp_path, check=False, timeout=60
    )
    assert done.returncode == 0
    assert tickertape("capture", "trace.bin", "-o", "T.tape").returncode == 0
    symbols = read_symbols(folder / "zephyr/zephyr.elf")
    assert len(turns_of(read(tmp_path / "T.tape", symbols, whole=True))) == TURNS


def test_datagrams_over_an_emulated_network(tmp_path: Path) -> None:
    board = "mps2_an385"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    view = "-DCONFIG_TICKERTAPE_VIEW_SHARK=y"  # the view can send datagrams as well
    folder = build(SAMPLES / "network", board, f"-DCONFIG_TICKERTAPE_UDP_PORT={port}", view)
    network = "user,model=lan9118,net=192.0.2.0/24,host=192.0.2.2"
    command = [*qemu(board, folder), "-serial", "null", "-nic", network]
    with (
        closing(open_link(f"udp://127.0.0.1:{port}")) as link,
        running(command),
        ControlServer(link, str(tmp_path / "s")) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        commands = pool.submit(insert_and_stop, f"unix:{tmp_path / 's'}")
        options = CaptureOptions(
            handle_signals=False, on_frame=server.take, stop_when_final=True, duration_s=RUN_SECONDS
        )
        capture(link, tmp_path / "T.tape", options)
        commands.result()
    trace = read(tmp_path / "T.tape", read_symbols(folder / "zephyr/zephyr.elf"), whole=True)
    sent = [event.words[1] for event in trace.events if event.name == "USER.USER_1"]
    assert sent.count(256) > 10
    assert trace.tids.keys() >= NETWORK_THREADS
    assert {"KERCALL.QUEUE_PUT_ENTER", "COMM.RPULSE", "KERCALL.MEMORY_ALLOC_ENTER"} <= {
        event.name for event in trace.events
    }
    inserted = [event.payload for event in trace.events if event.name == "USER.USER_9"]
    assert inserted == [LONGEST.encode()]


@pytest.mark.parametrize(
    ("overlay", "option", "said"),
    [
        ("", "", "no UART is chosen for the trace"),
        ("/ { chosen { tickertape,uart = &uart0; }; };", "", "UART of the console or shell"),
        (CHOSEN.replace("okay", "disabled"), "", "no UART is chosen for the trace"),
        (CHOSEN, "-DCONFIG_TRACING_CTF=y", "CONFIG_TRACING_CTF uses the tracing hooks"),
        (CHOSEN, "-DCONFIG_TRACING_TEST=y", "CONFIG_TRACING_TEST uses the tracing hooks"),
        (CHOSEN, "-DCONFIG_SERIAL=n", "no link to the host is selected"),
    ],
)
def test_what_is_wrong_is_said_before_the_compiler_runs(
    overlay: str, option: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "some.overlay"
    file.write_text(overlay)
    options = [f"-DDTC_OVERLAY_FILE={file}", *([option] if option else [])]
    answer = refusal_of(SAMPLES / "hello_tape", "mps2_an385", tmp_path / "build", *options)
    assert f"tickertape: {said}" in answer.replace("/soc/uart@40004000 is also the ", "")


def record_two_cpus(source: Path, tickertape: Command, tmp_path: Path) -> Path:
    """Run a program on two CPUs and capture its trace; check the balance and return the tape."""
    folder = build(source, TWO_CPUS, QUIET)
    file, tape = tmp_path / "trace.bin", tmp_path / "T.tape"
    deadline = time.monotonic() + RUN_SECONDS
    with running(qemu_of_two(folder), tmp_path) as process:
        while not file.exists() or file.stat().st_size < TWO_CPUS_BYTES:
            assert process.poll() is None, "the emulator has ended"
            assert time.monotonic() < deadline
            time.sleep(0.1)
    assert tickertape("capture", file, "-o", tape).returncode == 0
    with TapeReader(tape) as reader:
        rings = [ring.balance for ring in balance_of(reader).rings]
    assert len(rings) == 2
    for ring in rings:
        assert ring.offered == ring.delivered + ring.overwritten + ring.dropped + ring.damaged > 0
    return tape


@needs_arm64
def test_two_cpus(tickertape: Command, tmp_path: Path) -> None:
    with TapeReader(record_two_cpus(SAMPLES / "two_cpus", tickertape, tmp_path)) as reader:
        events = [event for part in iter_events(reader) for event in part.events()]
    names = {event.text: event.words[1] for event in events if event.name == "THREAD.NAME"}
    for cpu in (0, 1):
        # Compare switches of one CPU only: events of two CPUs have no proven order (ADR 0046).
        on_cpu = [event.words for event in events if event.cpu == cpu and event.name == SWITCH]
        assert all(next_one == prev for (_, next_one), (prev, _) in pairwise(on_cpu))
        assert {names["left"], names["right"], names["urgent"]} & {words[1] for words in on_cpu}
    assert {event.cpu for event in events if event.name == "USER.USER_0"} == {0, 1}
    assert any(event.name == "SYNC.MUTEX_LOCK_DENIED" for event in events)


@needs_arm64
def test_hooks_leave_the_registers_of_the_fpu_alone() -> None:
    """A hook that uses FPU registers under the scheduler's lock can stop both CPUs for good."""
    folder = build(SAMPLES / "two_cpus", TWO_CPUS, QUIET)
    (library,) = folder.rglob("libtickertape.a")
    assert lines_with_fpu_registers(folder / "zephyr/zephyr.elf"), "there are some to be found"
    assert lines_with_fpu_registers(library) == []


def lines_with_fpu_registers(code: Path) -> list[str]:
    command = [f"{ARM64_PREFIX}objdump", "-d", "--no-show-raw-insn", str(code)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=RUN_SECONDS)
    return re.findall(r"^ .*\t.*[\s{\[][bhsdqv]\d+(?:[,.\]}].*)?$", done.stdout, re.MULTILINE)


@needs_arm64
def test_no_kernel_is_accused_by_the_order_of_its_hooks(
    tickertape: Command, tmp_path: Path
) -> None:
    """Four threads on two CPUs compete for a mutex; Zephyr's hooks run in any order.

    How often they do, and how soon a CPU sees a ready thread, depends on the test's machine.
    """
    tape = record_two_cpus(APPS / "rivals", tickertape, tmp_path)
    with TapeReader(tape) as reader:
        assert reader.hello is not None
        assert reader.hello.flags & HelloFlag.HOOKS_OUTSIDE_LOCKS
        laws = kernel_laws_of(reader, overhead_ns=RUN_SECONDS * NS_PER_S)
    for law, judgement in laws.items():
        assert judgement.violations == [], law
        assert judgement.held > 0, law


@contextmanager
def running(command: list[str], folder: Path | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process in a folder; kill it at the end of the block, also after an exception."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd=folder) as process:
        try:
            yield process
        finally:
            process.kill()


def insert_and_stop(address: str) -> None:
    """Send the longest possible command; stop the trace after NETWORK_RECORDS records."""
    with closing(open_link(address)) as link:
        client = ControlClient(LinkChannel(link))
        assert client.insert(EventClass.USER, 9, text=LONGEST) == 1
        while client.status().rings[0].offered < NETWORK_RECORDS:
            time.sleep(ASK_S)
        client.stop()


@pytest.mark.parametrize("board", BOARDS)
def test_philosophers(board: str, tmp_path: Path) -> None:
    trace = run(build(SAMPLES / "philosophers", board), board, tmp_path / "T.tape", seconds=2)
    names = {"Aristotle", "Confucius", "Hypatia", "Laozi", "Plato"}
    assert names <= trace.tids.keys()
    fed = {event.words[0] for event in trace.events if event.name == "USER.USER_1"}
    assert fed == set(range(len(names)))
    assert any(event.name == "SYNC.MUTEX_LOCK_DENIED" for event in trace.events)


@pytest.mark.parametrize("board", ["mps2_an385", "mps2_an521"])
def test_a_thread_in_user_mode_is_a_domain(board: str, tmp_path: Path) -> None:
    trace = run(build(APPS / "user_mode", board), board, tmp_path / "T.tape")
    guests = [event for event in trace.events if event.name == "USER.USER_7"]
    hosts = [event for event in trace.events if event.name == "USER.USER_8"]
    assert [event.words[0] for event in guests] == [event.words[0] for event in hosts]
    assert {event.domain for event in guests} == {1}
    assert {event.domain for event in hosts} == {0}
    names = [event for event in trace.events if event.text == "guest"]
    assert {event.words[0] for event in names} == {1}, "the domain that owns the thread"
    assert [event.name for event in trace.events].count("SYNC.SEM_WAIT_GRANTED") >= len(guests)


def test_shell_commands(tmp_path: Path) -> None:
    board = "mps2_an385"
    folder = build(SAMPLES / "hello_tape", board, "-DCONFIG_SHELL=y", name="shell")
    command = [*qemu(board, folder), "-serial", "stdio", "-serial", "null"]
    orders = ["tape stop", "tape filter SCHED off", "tape filter nonsense", "tape status"]
    with (
        (tmp_path / "console.txt").open("wb+") as console,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=console) as process,
    ):
        assert process.stdin is not None
        answer = b""
        for order, expected in zip(
            orders, [b"$", b"$", b"write: tape filter", b"stands"], strict=True
        ):
            process.stdin.write(order.encode() + b"\n")
            process.stdin.flush()
            answer = wait_for(tmp_path / "console.txt", expected, after=order.encode())
        process.kill()
    assert b"0 dropped" in answer


def wait_for(path: Path, expected: bytes, *, after: bytes) -> bytes:
    """Read a file until `expected` follows `after`; return the text after `after`."""
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline:
        _, found, rest = path.read_bytes().partition(after)
        if found and expected in rest:
            return rest
        time.sleep(0.05)
    pytest.fail(f"{expected!r} does not come; there is {path.read_bytes()!r}")


def test_views_of_other_tracers_are_part_of_an_image() -> None:
    views = ("-DCONFIG_TICKERTAPE_VIEW_SHARK=y", "-DCONFIG_TICKERTAPE_VIEW_XM=y")
    options = ("-DCONFIG_TICKERTAPE_STREAMS=3", "-DCONFIG_TICKERTAPE_SYSCALLS=y")
    build(SAMPLES / "hello_tape", "mps2_an385", *views, *options, name="views")


def test_queues_of_the_shark_view(tmp_path: Path) -> None:
    """Apps/shark logs 40 events every other tick, more than either queue can keep."""
    board, tape = "mps2_an385", tmp_path / "T.tape"
    folder = build(APPS / "shark", board)

    def command(port: int) -> list[str]:
        return [*qemu(board, folder), "-serial", "stdio", "-serial", f"tcp:127.0.0.1:{port}"]

    with ProcessRun(board, command, folder / "console.txt") as process:
        capture(process.link, tape, CaptureOptions(handle_signals=False))
        process.finish()
    with TapeReader(tape) as reader:
        balance = balance_of(reader)
        sent, fixed = (ring.balance for ring in balance.rings)
        events = [event for part in iter_events(reader) for event in part.events()]
    assert balance.final
    for part in (sent, fixed):
        assert part.offered == part.delivered + part.overwritten + part.dropped + part.damaged
        assert (part.overwritten, part.damaged) == (0, 0)
    # The fixed queue keeps the first events: four buffers of 32 records.
    assert (fixed.offered, fixed.delivered) == (LOGGED, 128)
    kept = [event.words[0] for event in events if event.name == "TRC.USER_1"]
    assert kept == list(range(1, 129))
    # The sent queue gets a buffer back each period and reports its losses.
    told = [event.words[0] for event in events if event.name == "TRC.HOOPS"]
    assert sent.offered == LOGGED + len(told)
    assert 0 < sum(told) <= sent.dropped
    assert 128 + 32 * (len(told) - 1) <= sent.delivered < LOGGED // 2
    mine = [event for event in events if event.stream == 0 and event.name == "TRC.USER_0"]
    assert sent.delivered == len(mine) + len(told)


def test_posix_trace_is_read_on_the_target() -> None:
    board = "mps2_an385"
    text = console_of(build(APPS / "posix_kernel", board), board)
    said = text.splitlines()[1:]  # without Zephyr's banner
    assert said[:2] == ["result 0, no overrun", "workers: 20 and 20 events"]
    numbers = [[int(word) for word in re.findall(r"\d+", line)] for line in said]
    granted, denied = numbers[2]
    assert granted == 40
    assert denied >= 19, "each has the mutex while it sleeps"
    switches, with_priority, calls = numbers[3]
    assert switches > with_priority >= 40
    assert calls >= 120, "each of the 40 times: lock, sleep, unlock"
    assert said[4:] == ["bell: 0, 4 bytes", "silence: ETIMEDOUT", "shutdown: 0, then EINVAL"]
