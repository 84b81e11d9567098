"""The storm on every board: the program's own counts equal the host's balance.

The link is overrun on purpose, with every kind of loss. The bytes pass through the whole host, from
link to tape to balance by class and CPU, and also through a second reader that is written from the
specification alone.
"""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest

from tests.support.link_reader import BEGIN, SIMPLE, LinkReader
from tests.support.storm import (
    BYTES,
    DROP,
    OVERWRITE,
    SYSTEM,
    UNTIL_FULL,
    USER,
    Counts,
    check_content,
    counts_of,
)
from tests.support.workbench import RUN_SECONDS, build, qemu_command, run_native
from tickertape.analysis.balance import balance_of
from tickertape.collector import capture
from tickertape.link import open_link
from tickertape.tape.reader import TapeReader
from tickertape.targets.qemu import MACHINES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.analysis.balance import RingBalance

CAPACITY = 8 * 128  # records in a ring with the default options
SMALL_CAPACITY = 4 * 32  # records in a ring with the micro:bit's options


def capacity(board: str) -> int:
    """Return the number of records that a ring can hold."""
    return SMALL_CAPACITY if board == "microbit" else CAPACITY


NEVER_MS = 100_000  # the link stays closed until the storm is over


@dataclass(frozen=True)
class Storm:
    """The storm's own counts by CPU and class, the bytes of its link, and the balances."""

    offered: Counts
    link: Path
    rings: tuple[RingBalance, ...]


def take(console: str, link: Path) -> Storm:
    """Capture the bytes of a link and compute the balance; check what must always hold."""
    tape = link.with_suffix(".tape")
    with closing(open_link(f"file:{link}")) as source:
        result = capture(source, tape)
    assert not result.problems
    with TapeReader(tape) as reader:
        check_content(reader)
        balance = balance_of(reader)
    assert balance.final
    assert not balance.contradictions
    assert balance.total.damaged == 0
    offered = counts_of(console)
    assert offered
    return Storm(offered, link, balance.rings)


def check_exact(storm: Storm) -> None:
    """Check that the program's counts equal the balance of both readers, for each CPU and class."""
    assert {ring.ring.cpu for ring in storm.rings} >= set(storm.offered)
    for ring in storm.rings:
        counted = storm.offered.get(ring.ring.cpu, {})
        assert ring.balance.offered == sum(counted.values())
        assert ring.balance.holds
        assert ring.by_class is not None or not counted
        if ring.by_class is not None:
            assert {c: b.offered for c, b in ring.by_class.classes.items()} == counted
            assert all(b.holds for b in ring.by_class.classes.values())
        link = LinkReader(cpu=ring.ring.cpu)
        link.read(storm.link.read_bytes())
        assert link.final
        assert {i: sum(c) for i, c in enumerate(link.class_counters) if sum(c)} == counted
        assert all(a.ordinal < b.ordinal for a, b in pairwise(link.records))
        stamped = [r.time for r in link.records if r.struct_bits in (SIMPLE, BEGIN)]
        assert stamped == sorted(stamped)
        assert len(link.records) == ring.balance.delivered


def blow(
    board: str,
    link: Path,
    options: dict[str, int],
    *,
    counted: bool = True,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Storm:
    """Run the storm to its end; `counted`: QEMU counts instructions, so runs are repeatable."""
    options = {"duration_ms": 20, **options}
    program = build(board, "storm", **variables)
    if board == "native":
        words = [
            word for name, value in options.items() for word in (option_name(name), str(value))
        ]
        done = run_native(program, *words, "--trace", f"file:{link}")
        console = done.stderr
    else:
        words = [f"{name}={value}" for name, value in options.items()]
        command = qemu_command(board, program, f"file:{link}", *words)
        if not counted:
            at = command.index("-icount")
            command[at : at + 2] = ["-accel", "tcg,thread=multi"]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=RUN_SECONDS,
        )
        console = done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
    return take(console, link)


def option_name(name: str) -> str:
    """Return an option in the form of the Linux program."""
    return "--" + name.replace("_", "-")


BOARDS = ["native", *MACHINES]
SENSOR_US = 10
WAYS = {
    "slow link": {"policy": DROP},
    "slow link, oldest overwritten": {"policy": OVERWRITE},
    "slow link, packed": {"policy": DROP, "packing": 1},
    "drain stalled at first": {"policy": DROP, "closed_ms": 10},
    "drain stalled throughout": {"policy": DROP, "closed_ms": NEVER_MS},
    "ring overwritten throughout": {"policy": OVERWRITE, "closed_ms": NEVER_MS},
    "interrupt storm": {"policy": DROP, "sensor_us": SENSOR_US},
    "interrupt storm, oldest overwritten": {"policy": OVERWRITE, "sensor_us": SENSOR_US},
}


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("way", WAYS)
def test_every_loss_is_accounted_for(board: str, way: str, tmp_path: Path) -> None:
    options = dict(WAYS[way])
    if board == "microbit" and options.get("sensor_us") == SENSOR_US:
        options["sensor_us"] *= 2  # an interrupt takes more than 10 us on a Cortex-M0
    storm = blow(board, tmp_path / "link.bin", options)
    check_exact(storm)
    assert len(storm.offered) == (2 if board == "mps2-an521" else 1)
    overwrites = WAYS[way]["policy"] == OVERWRITE
    for ring in storm.rings:
        assert (ring.balance.overwritten > 0) is overwrites
        assert (ring.balance.dropped > 0) is not overwrites
        assert ring.balance.delivered > capacity(board) // 2
        classes = set(storm.offered[ring.ring.cpu])
        assert classes >= {SYSTEM, USER, BYTES}


COMPILERS = [
    ("gcc", "-O0", "mps2-an385"),
    ("gcc", "-Og", "mps2-an386"),
    ("gcc", "-Os", "mps2-an505"),
    ("gcc", "-O3", "mps2-an500"),
    ("gcc", "-O2 -flto=auto", "stm32f4"),
    ("gcc", "-O3 -flto=auto", "native"),
    ("clang", "-O0", "stm32f4"),
    ("clang", "-Og", "mps3-an547"),
    ("clang", "-Os", "mps2-an505"),
    ("clang", "-O2", "mps2-an521"),
    ("clang", "-O3", "mps2-an386"),
    ("clang", "-O2 -flto=auto", "mps2-an500"),
]


@pytest.mark.parametrize(("compiler", "optimization", "board"), COMPILERS)
def test_every_compiler(compiler: str, optimization: str, board: str, tmp_path: Path) -> None:
    way = f"{compiler}{optimization}".replace(" ", "").replace("=", "-")
    variables = {"COMPILER": compiler, "OPT": optimization, "BUILD": f"../build/{way}"}
    storm = blow(board, tmp_path / "link.bin", {"policy": DROP}, variables=variables)
    check_exact(storm)
    assert all(ring.balance.dropped > 0 for ring in storm.rings)


@pytest.mark.parametrize("board", BOARDS)
def test_a_full_line_ends_at_its_last_record(board: str, tmp_path: Path) -> None:
    """Without interrupts, the program knows which record was the last that the ring stored."""
    options = {"policy": UNTIL_FULL, "closed_ms": NEVER_MS, "sensor_us": 0, "cpus": 1}
    storm = blow(board, tmp_path / "link.bin", options)
    check_exact(storm)
    ring = storm.rings[0]
    assert (ring.balance.delivered, ring.balance.dropped) == (capacity(board), 1)


@pytest.mark.parametrize("board", BOARDS)
def test_the_first_full_line_stops_everybody(board: str, tmp_path: Path) -> None:
    """The ring that fills first stores as many records as it can hold and drops one."""
    options = {"policy": UNTIL_FULL, "closed_ms": NEVER_MS}
    storm = blow(board, tmp_path / "link.bin", options)
    dropped = [ring.balance.dropped for ring in storm.rings]
    assert any(dropped)
    assert all(count <= 1 for count in dropped)
    for ring in storm.rings:
        assert ring.balance.holds
        assert ring.balance.delivered <= capacity(board)
        if ring.balance.dropped:
            assert ring.balance.delivered == capacity(board)


@pytest.mark.parametrize("policy", [OVERWRITE, DROP])
@pytest.mark.parametrize("attempt", range(3))
def test_two_cpus_at_the_same_time(policy: int, attempt: int, tmp_path: Path) -> None:
    """Each emulated CPU runs in its own thread, so runs are not repeatable.

    Their speed depends on the machine, so the link is closed: a ring loses all records beyond its
    size, and even a slow CPU offers more than that.
    """
    options = {"policy": policy, "duration_ms": 50, "closed_ms": NEVER_MS, "sensor_us": 500}
    storm = blow("mps2-an521", tmp_path / f"link{attempt}.bin", options, counted=False)
    check_exact(storm)
    assert len(storm.offered) == 2
    for ring in storm.rings:
        assert ring.balance.dropped + ring.balance.overwritten > 0


def test_one_cpu_of_two_may_stay_out(tmp_path: Path) -> None:
    storm = blow("mps2-an521", tmp_path / "link.bin", {"cpus": 1})
    check_exact(storm)
    assert list(storm.offered) == [0]


def read_late(server: socket.socket, received: list[bytes], pause_s: float) -> None:
    connection, _ = server.accept()
    with connection:
        time.sleep(pause_s)
        while data := connection.recv(65536):
            received.append(data)


def test_a_host_that_does_not_read(tmp_path: Path) -> None:
    """In real time the link fills while the host sleeps; all lost records are accounted for."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        reader = threading.Thread(target=read_late, args=(server, received, 0.5))
        reader.start()
        port = server.getsockname()[1]
        done = run_native(
            build("native", "storm"),
            *("--realtime", "--duration-ms", "300", "--link-bytes-per-ms", "0"),
            *("--trace", f"tcp:127.0.0.1:{port}"),
        )
        reader.join()
    assert done.returncode == 0, done.stderr
    link = tmp_path / "link.bin"
    link.write_bytes(b"".join(received))
    check_exact(take(done.stderr, link))


@pytest.mark.parametrize("target", ["native", "qemu", "qemu-dual"])
def test_the_storm_runs_from_the_command_line(
    tickertape: Command, target: str, tmp_path: Path
) -> None:
    done = tickertape(
        *("run", "-q", "--target", target, "--example", "storm", "--duration", "0.02"),
        *("-o", "storm.tape"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    with TapeReader(tmp_path / "storm.tape") as reader:
        balance = balance_of(reader)
        check_content(reader)
    assert balance.final
    assert balance.total.dropped > 0
    assert not balance.contradictions
