"""The search for histories that break the law of loss: known faults and a sample of new seeds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from cobs import cobs

from tests.support.core_histories import CoreHistories, HistoryError
from tests.support.wire_bytes import BUFFER, HELLO, PACKED, STATUS
from tickertape.decode.sequence import SequenceTracker
from tools.search.kinds import Histories
from tools.search.sources import ROOT, hash_of_sources
from tools.search.state import Finding, State, load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Seeds that once revealed a fault.
KNOWN = [
    ("core", 191),  # STATUS after a restart repeated an earlier receipt, which looked like a reset
    ("core", 239),  # `offered` stepped back after the drain changed CPU, which looked like a reset
    ("core", 20004331),  # bytes of a packed buffer look like a TIME record to the driver
    ("core", 40023295),  # a buffer opened for a record of another CPU kept that time
    ("core", 50006822),  # the next boot began with the delimiter of a cut frame
    ("simulated", 150),
    ("simulated", 260),
    ("simulated", 262),
]
CONTROL, USER, HOST, REPLY = 1, 6, 0x40, 6
CUT = (50000009, 50000068, 50000164)  # histories with frames cut by a reset or by the end
SAMPLE = {"core": 150, "simulated": 250}


@pytest.fixture(scope="module")
def histories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Histories]:
    folder = tmp_path_factory.mktemp("search")
    with Histories(folder, folder) as found:
        yield found


@pytest.mark.parametrize(("kind", "seed"), KNOWN)
def test_histories_that_were_faults(histories: Histories, kind: str, seed: int) -> None:
    histories.check(kind, seed)


@pytest.mark.parametrize("kind", SAMPLE)
def test_a_sample_of_new_histories(histories: Histories, kind: str) -> None:
    first = time.time_ns() // 1000 % (1 << 40)
    for seed in range(first, first + SAMPLE[kind]):
        fault = histories.fault(kind, seed)
        assert not fault, f"python -m tools.search --repeat {kind}:{seed}\n{fault}"


def test_a_fault_is_found_and_shortened(
    histories: Histories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A collector with a broken detection of resets breaks the law of loss."""
    monkeypatch.setattr(SequenceTracker, "_steps_back", lambda *_: True)
    seed = next(seed for seed in range(50) if histories.fault("simulated", seed))
    steps, fault = histories.shortest("simulated", seed)
    assert steps < 90
    assert "check_exactly" in fault


def test_histories_of_the_recorder_have_what_they_search(tmp_path: Path) -> None:
    """Histories contain TIME records, inserted events, replies to commands and cut frames."""
    headers: set[tuple[int, int]] = set()
    kinds: set[int] = set()
    cut: list[bytes] = []
    with CoreHistories(tmp_path) as core:
        for seed in (*range(40), *CUT):
            life = core.live(seed)
            cut += [frame.data for frame in life.frames if not frame.whole]
            whole = [frame.data[:-1] for frame in life.frames if frame.whole]
            kinds |= {cobs.decode(encoded)[0] for encoded in whole}
            for state in (state for boot in life.boots for state in boot.values()):
                headers |= {(record.cls, record.flags) for record in state.records}
    assert {part.endswith(b"\0") for part in cut} == {True, False}
    assert (CONTROL, 0) in headers  # TIME
    assert (USER, HOST) in headers
    assert {HELLO, BUFFER, PACKED, STATUS, REPLY} <= kinds


def test_a_history_that_dies_says_so(tmp_path: Path) -> None:
    with CoreHistories(tmp_path, hang=True) as core:
        with pytest.raises(HistoryError, match="exit code -27"):
            core.live(0)
        with pytest.raises(HistoryError):  # the next call starts the driver again
            core.live(0)


def test_counts_belong_to_their_sources(tmp_path: Path) -> None:
    state = State()
    state.count("old", "core").end_seed = 40
    state.findings.append(Finding("old", "core", 7, 3, "what"))
    count = state.count("new", "core")
    assert (count.first_seed, count.end_seed, count.histories) == (40, 40, 0)
    count.end_seed = 45
    state.save(tmp_path / "folder" / "state.json")
    again = load(tmp_path / "folder" / "state.json")
    assert again == state
    assert (again.histories(), again.histories("new"), again.histories("none")) == (45, 5, 0)
    assert "40-44" in again.table()


def test_the_hash_follows_every_source(tmp_path: Path) -> None:
    source = tmp_path / "firmware" / "core" / "ring.c"
    source.parent.mkdir(parents=True)
    source.write_text("one")
    before = hash_of_sources(root=tmp_path)
    source.write_text("two")
    assert hash_of_sources(root=tmp_path) != before


def search(state: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tools.search", "--state", str(state), "--core-share", "0.1"]
    return subprocess.Popen(
        [*command, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_a_search_is_interrupted_and_resumed(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    running = search(path, "--histories", "1000000")
    assert running.stdout is not None
    running.stdout.readline()  # the first turn is complete
    os.killpg(running.pid, signal.SIGINT)  # like a terminal: to the whole process group
    out, _ = running.communicate(timeout=200)
    assert running.returncode == 0, out
    done = load(path).histories()
    assert done > 0
    again = search(path, "--histories", str(done + 50))
    out, _ = again.communicate(timeout=200)
    assert again.returncode == 0, out
    state = load(path)
    assert done + 50 <= state.histories() < done + 100
    count = state.counts[hash_of_sources()]["simulated"]
    core = state.counts[hash_of_sources()]["core"]
    assert core.first_seed == count.first_seed == 0
    assert core.histories + count.histories == state.histories()
