"""Plans, checked by runs of the recorder with the planned settings."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING

import pytest
from cobs import cobs

from tests.support.command import assert_complaint
from tests.support.core_driver import FIRMWARE
from tests.support.link_reader import BUFFER, PACKED
from tests.support.replays import (
    BUFFER_RECORDS,
    FAST,
    MOST_BUFFERS,
    Replay,
    Settings,
    bursts,
    plateau,
)
from tests.support.target import SimulatedTarget
from tickertape.analysis.balance import balance_of
from tickertape.analysis.demand import Layout, demand_of
from tickertape.analysis.plan import Plan, PlanOptions, Verdict, link_of, plan_of
from tickertape.analysis.wire_cost import KINDS_OF_A_BODY, STALE_KINDS
from tickertape.collector import CaptureOptions, capture
from tickertape.errors import UsageError
from tickertape.link import MemoryLink
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

PACKED_RATE = 60_000
RAW_RATE = 240_000
LATE_US = 5000
FIFO_BYTES = 4096  # FIFO of plan_driver.c


def planned(tape: Path, settings: Settings) -> Plan:
    options = PlanOptions(
        settings.buffers,
        packed=settings.packed,
        latency_s=settings.latency_us / 1e6,
        stored_bytes=FIFO_BYTES,
    )
    with TapeReader(tape) as reader:
        assert balance_of(reader).total.holds
        return plan_of(reader, link_of(f"rate:{settings.bytes_per_s:.0f}"), options)


@pytest.mark.parametrize(
    ("seed", "settings"),
    [
        (0, Settings(PACKED_RATE, MOST_BUFFERS)),
        (1, Settings(PACKED_RATE, MOST_BUFFERS, latency_us=LATE_US)),
        (2, Settings(RAW_RATE, MOST_BUFFERS, packed=False)),
        (3, Settings(RAW_RATE, MOST_BUFFERS, packed=False, latency_us=LATE_US)),
    ],
)
def test_the_recorder_loses_nothing_as_planned_and_something_with_a_third_less(
    seed: int, settings: Settings, tmp_path: Path
) -> None:
    replay = Replay(tmp_path, bursts(random.Random(seed)))
    tape = replay.tape(Settings(FAST, MOST_BUFFERS, settings.packed))

    (ring,) = planned(tape, settings).rings
    assert ring.buffers is not None
    assert ring.least_buffers is not None
    assert replay.run(settings._replace(buffers=ring.buffers)).dropped == 0
    assert replay.run(settings._replace(buffers=ring.buffers * 2 // 3)).dropped > 0
    assert replay.run(settings._replace(buffers=ring.least_buffers - 1)).dropped > 0


@pytest.mark.parametrize(("packed", "latency_us"), [(True, 20), (True, LATE_US), (False, 500)])
def test_the_lowest_rate_loses_nothing_and_a_third_less_does(
    packed: bool,  # noqa: FBT001 - a parameter of the test
    latency_us: int,
    tmp_path: Path,
) -> None:
    replay = Replay(tmp_path, plateau(random.Random(latency_us)))
    tape = replay.tape(Settings(FAST, MOST_BUFFERS, packed))
    settings = Settings(PACKED_RATE, 20, packed, latency_us)
    rate = planned(tape, settings).lowest_bytes_per_s
    assert rate is not None
    assert planned(tape, settings._replace(bytes_per_s=rate + 1)).verdict is Verdict.FITS
    assert replay.run(settings._replace(bytes_per_s=rate)).dropped == 0
    assert replay.run(settings._replace(bytes_per_s=rate * 2 / 3)).dropped > 0


@pytest.mark.parametrize("seed", [4, 5])
def test_a_plan_from_a_tape_with_losses_holds_for_all_that_was_offered(
    seed: int, tmp_path: Path
) -> None:
    replay = Replay(tmp_path, bursts(random.Random(seed)))
    settings = Settings(PACKED_RATE, 30)
    lossy = planned(replay.tape(settings), settings)
    assert lossy.lost_records > 0
    assert lossy.verdict is not Verdict.FITS
    assert any("are missing on the tape" in line for line in lossy.reasons)
    (ring,) = lossy.rings
    assert ring.buffers is not None
    assert ring.buffers <= MOST_BUFFERS
    assert replay.run(settings._replace(buffers=ring.buffers)).dropped == 0


@pytest.mark.parametrize(("packed", "rate"), [(True, PACKED_RATE), (False, RAW_RATE)])
def test_what_a_busy_link_carried_lies_between_the_two_counts_of_bytes(
    packed: bool,  # noqa: FBT001 - a parameter of the test
    rate: int,
    tmp_path: Path,
) -> None:
    replay = Replay(tmp_path, bursts(random.Random(7)))
    tape = replay.tape(Settings(rate, MOST_BUFFERS, packed))
    with TapeReader(tape) as reader:
        assert balance_of(reader).total.lost == 0
        (epoch,) = reader.epochs
        layout = Layout(BUFFER_RECORDS, packed)
        (ring,) = demand_of(reader, epoch, reader.clock(epoch).hz, layout).rings
    frames = (tmp_path / "link").read_bytes().split(b"\0")
    of_records = [one for one in frames if one and cobs.decode(one)[0] in {BUFFER, PACKED}]
    sent_bytes = sum(len(one) + 1 for one in of_records)
    assert ring.least.sum() <= sent_bytes <= ring.most.sum()


def test_the_recorder_knows_as_many_kinds_as_a_plan_counts() -> None:
    text = (FIRMWARE / "include/tickertape/link.h").read_text()
    (kinds,) = re.findall(r"#define TT_PACK_KINDS +(\d+)u", text)
    assert int(kinds) - STALE_KINDS == KINDS_OF_A_BODY


def test_classes_are_proposed_whose_absence_lets_it_fit(tmp_path: Path) -> None:
    rows = bursts(random.Random(6))
    settings = Settings(PACKED_RATE, 40)
    plan = planned(Replay(tmp_path, rows).tape(Settings(FAST, MOST_BUFFERS)), settings)
    assert plan.verdict is not Verdict.FITS
    assert plan.switch_off is not None
    kinds = {"SYNC": {0}, "INT": {1}, "USER": {2, 3, 4}}
    off = set().union(*(kinds[name] for name in plan.switch_off))
    assert off < set(range(5))
    rest = tmp_path / "rest"
    rest.mkdir()
    assert Replay(rest, [row for row in rows if row[1] not in off]).run(settings).dropped == 0


def test_the_arrival_curve_counts_what_came_in_any_window(tmp_path: Path) -> None:
    rows = [(us, 2, 0, 0) for us in (1000, 1001, 1009, 1019, 2000, 250_000)]
    tape = Replay(tmp_path, rows).tape(Settings(FAST, MOST_BUFFERS))
    plan = planned(tape, Settings(PACKED_RATE, 8))
    curve = {window.seconds: window.records for window in plan.windows}
    assert curve[1e-5] == 3  # a window may begin with one record and end with another
    assert curve[2e-5] == 4
    assert curve[1e-3] == 5
    assert curve[0.5] == 6
    assert list(curve) == sorted(curve)
    assert plan.by_class == {"USER": 1.0}


@pytest.fixture(scope="module")
def two_rings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tape of two boots of two CPUs with bursts over one link; boot 1 is the busy one."""
    target = SimulatedTarget(cpus=2, buffers=50, buffer_records=16)
    for boot, records in enumerate((3, 100)):
        if boot:
            target.reset(boot_id=boot)
        target.hello()
        for number in range(records):
            target.advance(10)
            target.record((0, number % 2), 6, 1, number)
        target.finish()
    path = tmp_path_factory.mktemp("plan") / "T.tape"
    capture(MemoryLink([target.sent_bytes()]), path, CaptureOptions())
    return path


def test_the_command_prints_plan_and_verdict(two_rings: Path, tickertape_inside: Command) -> None:
    done = tickertape_inside(
        "plan", two_rings, "--link", "uart:115200", "--no-loss", "--buffers", "200"
    )
    assert done.returncode == 0
    assert "uart:115200 with 200 buffers of 16 records, packed: fits" in done.stdout
    assert "stream 0, CPU 1: " in done.stdout
    assert "bytes by class: USER 100%" in done.stdout
    words = ("--buffers", "2", "--stored", "0", "--no-loss")
    small = tickertape_inside("plan", two_rings, "--link", "uart:9600", *words)
    assert small.returncode == 1
    assert "too small" in small.stdout
    unknown = tickertape_inside(
        *("plan", two_rings, "--link", "rtt", "--buffers", "200", "--no-loss", "--json")
    )
    assert unknown.returncode == 10
    found = json.loads(unknown.stdout)
    assert found["verdict"] == "unknown"
    assert found["needed_bytes"] is None
    assert [ring["buffers"] for ring in found["rings"]] == [None, None]
    assert found["lowest_bytes_per_s"] > 0
    assert "rate of rtt" in found["reasons"][0]


def test_the_busiest_boot_decides(two_rings: Path) -> None:
    with TapeReader(two_rings) as reader:
        plan = plan_of(reader, link_of("rate:100"), PlanOptions(stored_bytes=0))
    # 50 records at 50 kHz: at 100 bytes per second, no record is sent in this time.
    assert [ring.least_buffers for ring in plan.rings] == [3, 3]
    assert all((ring.buffers or 0) >= 4 for ring in plan.rings)


@pytest.mark.parametrize(
    ("link", "rate"), [("uart:921600", 92160.0), ("swo:2000000", 160000.0), ("rtt:5", 5.0)]
)
def test_a_link_has_the_rate_of_its_bytes(link: str, rate: float) -> None:
    assert link_of(link).bytes_per_s == pytest.approx(rate)


@pytest.mark.parametrize("link", ["uart", "uart:0", "swo:fast", "rtt:", "serial:9600", "rate:-1"])
def test_other_links_are_refused(link: str) -> None:
    with pytest.raises(UsageError, match="is not a link to plan with"):
        link_of(link)


def test_a_tape_without_clock_or_records_is_refused(
    tmp_path: Path, tickertape_inside: Command
) -> None:
    target = SimulatedTarget()
    capture(MemoryLink([target.sent_bytes()]), tmp_path / "empty.tape", CaptureOptions())
    target.record((0, 0), 6, 1)
    target.finish()
    capture(MemoryLink([target.sent_bytes()]), tmp_path / "no-clock.tape", CaptureOptions())
    for name, why in (("empty", "has no records"), ("no-clock", "clock rate")):
        done = tickertape_inside("plan", f"{name}.tape", "--link", "uart:9600")
        assert_complaint(done, 2, why)
