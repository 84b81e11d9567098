"""Run the recorder with events at given times over a link of a given rate (plan_driver.c)."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, NamedTuple

from tests.support.core_driver import PLAIN_PORT, build_driver
from tests.support.patience import HANG_S
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence
    from pathlib import Path

BUFFER_RECORDS = 32
MOST_BUFFERS = 255
FAST = 1e9

Row = tuple[int, int, int, int]
"""Microsecond, kind (0 SYNC, 1 INT, others USER), two words."""


class Settings(NamedTuple):
    """Settings of link and recorder for a run."""

    bytes_per_s: float
    buffers: int
    packed: bool = True
    latency_us: int = 20


class Outcome(NamedTuple):
    """Number of records that a run offered, sent and dropped."""

    offered: int
    sent: int
    dropped: int


class Replay:
    """Runs the recorder with a list of rows."""

    def __init__(self, folder: Path, rows: Sequence[Row]) -> None:
        """Build the driver."""
        self._folder = folder
        self._rows = "".join(f"{us} {kind} {a} {b}\n" for us, kind, a, b in rows)
        sizes = {"BUFFERS": MOST_BUFFERS, "BUFFER_RECORDS": BUFFER_RECORDS}
        defines = [f"TT_CONFIG_{name}={value}" for name, value in sizes.items()]
        self._program = build_driver(folder, "plan_driver.c", *defines, sources=[PLAIN_PORT])

    def run(self, settings: Settings) -> Outcome:
        """Run the recorder, check the balance and return it."""
        words = [
            *(str(settings.bytes_per_s), str(settings.buffers), str(int(settings.packed))),
            *(str(settings.latency_us), str(self._folder / "link")),
        ]
        done = subprocess.run(
            [self._program, *words],
            input=self._rows,
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        outcome = Outcome(*map(int, done.stdout.split()))
        assert outcome.offered == outcome.sent + outcome.dropped > 0
        return outcome

    def tape(self, settings: Settings) -> Path:
        """Run the recorder and return the path of the tape."""
        self.run(settings)
        path = self._folder / "run.tape"
        path.unlink(missing_ok=True)
        capture(MemoryLink([(self._folder / "link").read_bytes()]), path, CaptureOptions())
        return path


def bursts(rng: random.Random) -> list[Row]:
    """Return a load of 0.4 s: steady events, a burst of thousands, and later one of hundreds."""
    calm = rng.choice([300, 1000, 3000])
    sizes = [(50_000, rng.randrange(2000, 3500)), (250_000, rng.randrange(300, 1500))]
    rows: list[Row] = []
    us = 10
    while us < 400_000:
        if sizes and us > sizes[0][0]:
            apart = rng.choice([1, 3, 10])
            for number in range(sizes.pop(0)[1]):
                us += rng.randrange(apart + 1)
                rows.append((us, rng.randrange(3), rng.randrange(9), number))
        us += rng.randrange(2 * calm)
        rows.append((us, 2 + rng.randrange(3), rng.randrange(1 << rng.randrange(33)), 7))
    return rows


def plateau(rng: random.Random) -> list[Row]:
    """Return a load of 0.4 s, with 40 000 events per second during 0.3 s."""
    rows: list[Row] = []
    us = 10
    while us < 400_000:
        apart = 24 if 50_000 < us < 350_000 else 3000
        us += 1 + rng.randrange(2 * apart)
        rows.append((us, rng.randrange(4), rng.randrange(9), len(rows)))
    return rows
