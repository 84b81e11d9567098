"""The S.Ha.R.K. queues as a user runs them: filled beyond their size, natively and in QEMU.

What was kept, what was lost and the balance; and what the task of the on-line queue may use.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tickertape.analysis.balance import balance_of
from tickertape.cli.main import main
from tickertape.export.shark import export_shark
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.decode.events import Event

SIZE, BUFFER = 256, 64
PERIOD_MS, SLICE_MS = 100, 2
SEM_EVENTS, NOBODY = {20, 21, 22}, 0xFFFF
TARGETS = ("native", "qemu")
SERVER = 2  # its thread number: it is created first, behind the drain


@dataclass(frozen=True)
class Ran:
    """What a run left behind."""

    offered: int
    delivered: int
    overwritten: int
    dropped: int
    events: list[Event]
    ns_per_tick: int
    file: bytes
    exported: bytes


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def run(target: str, example: str, folder: Path, *options: str) -> Ran:
    """Run an example for a second in `folder`; its own file is read as well."""
    words = ["run", "--target", target, "--example", example, "--duration", "1", "-q"]
    words += ["-o", "t.tape", "--option", "files=1", "--option", f"size={SIZE}"]
    for option in options:
        words += ["--option", option]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(words) == 0
    with TapeReader(folder / "t.tape") as reader:
        events = [event for part in iter_events(reader) for event in part.events()]
        total = balance_of(reader).total
        assert reader.hello is not None
        tick_hz = reader.hello.tick_hz
        export_shark(reader, folder / "exported")
    assert total.damaged == 0
    assert total.offered == total.delivered + total.overwritten + total.dropped
    (file,) = [path for path in folder.iterdir() if path.name in {"fix1", "cir1"}]
    return Ran(
        *(total.offered, total.delivered, total.overwritten, total.dropped),
        events=events,
        ns_per_tick=1_000_000_000 // tick_hz,
        file=file.read_bytes(),
        exported=(folder / "exported").read_bytes(),
    )


def check_file(ran: Ran) -> None:
    """Compare the target's own file with the tape: the same events at the same microseconds."""
    records = list(struct.iter_unpack("<IHHI", ran.file))
    assert len(records) == len(ran.events)
    times = [event.time_ticks * ran.ns_per_tick // 1000 for event in ran.events]
    assert [time for time, *_ in records] == times
    users = {0x0B: 0, 0x0C: 1}
    told = [(users[number], info) for _, number, _, info in records if number in users]
    kept = [
        (event.event - 0x0B, event.words[0])
        for event in ran.events
        if event.name[:9] == "TRC.USER_"
    ]
    assert told == kept
    assert told
    exported = list(struct.iter_unpack("<IHHI", ran.exported))
    assert [_without_unknown(mine, mine) for mine in records] == [
        _without_unknown(mine, theirs) for mine, theirs in zip(records, exported, strict=True)
    ]


def _without_unknown(target: tuple[int, ...], record: tuple[int, ...]) -> tuple[int, ...]:
    """Leave out the task of a semaphore's event where the target does not know who runs.

    That is before the first switch and behind a loss; the host learns it from the next switch.
    """
    *rest, info = record
    is_unknown = target[1] in SEM_EVENTS and target[3] & NOBODY == NOBODY
    return (*rest, info & ~NOBODY if is_unknown else info)


def test_a_fixed_queue_keeps_the_first_events(target: str, tmp_path: Path) -> None:
    ran = run(target, "shark_fixed", tmp_path)
    assert (ran.delivered, ran.overwritten) == (SIZE, 0)
    assert ran.dropped == ran.offered - SIZE > SIZE
    assert [event.ordinal for event in ran.events] == list(range(SIZE))
    check_file(ran)


def test_a_circular_queue_keeps_the_last_events(target: str, tmp_path: Path) -> None:
    ran = run(target, "shark_circular", tmp_path)
    assert SIZE - BUFFER < ran.delivered <= SIZE
    assert (ran.dropped, ran.overwritten) == (0, ran.offered - ran.delivered)
    last = range(ran.offered - ran.delivered, ran.offered)
    assert [event.ordinal for event in ran.events] == list(last)
    check_file(ran)


def test_an_on_line_queue_keeps_period_and_budget(target: str, tmp_path: Path) -> None:
    options = (f"period_us={PERIOD_MS * 1000}", f"slice_us={SLICE_MS * 1000}")
    ran = run(target, "shark_online", tmp_path, *options)
    assert ran.dropped > 0
    assert ran.overwritten == 0
    told = [event for event in ran.events if event.name == "TRC.HOOPS"]
    assert told
    # The task tells at each activation what was dropped before it; the rest came after the last.
    assert 0 < sum(event.words[0] for event in told) <= ran.dropped
    begins = [
        event.time_ticks
        for event in ran.events
        if event.name == "SCHED.COMPLETION" and event.words[0] == SERVER
    ]
    assert len(begins) >= 3
    period_ns = PERIOD_MS * 1_000_000
    for first, second in pairwise(begins[1:]):
        assert abs((second - first) * ran.ns_per_tick - period_ns) < SLICE_MS * 1_000_000
    assert longest_turn_ns(ran) <= SLICE_MS * 1_000_000
    check_file(ran)


def longest_turn_ns(ran: Ran) -> int:
    """Give the longest time from the task's getting the processor to the end of its activation.

    Only where no event is missing in between.
    """
    longest, begin = 0, None
    before = -1
    for event in ran.events:
        if event.ordinal != before + 1:
            begin = None
        before = event.ordinal
        if event.name == "SCHED.CONTEXT_SWITCH" and event.words[1] == SERVER:
            begin = event.time_ticks
        if event.name == "SCHED.COMPLETION" and event.words[0] == SERVER and begin is not None:
            longest = max(longest, (event.time_ticks - begin) * ran.ns_per_tick)
            begin = None
    return longest
