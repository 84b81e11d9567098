"""The recorder under real concurrency: two recording CPUs and a drain, each a Linux thread.

A sanitizer checks the driver in C (stress_driver.c); a reader written only from the specification
reads the ring of each CPU.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.firmware.core.balance import (
    DROP,
    ENVIRONMENT,
    HERE,
    OVERWRITE,
    SYSTEM,
    UNTIL_FULL,
    USER,
    check_balance,
)
from tests.support.link_reader import BEGIN, SIMPLE, LinkReader
from tests.support.patience import HANG_S
from tests.support.programs import compiled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FIRMWARE = HERE.parents[2] / "firmware"
WRITERS = 2
EVENTS = 100_000
LATE_EVENTS = 1000
TEXT = b"a text of several records"


@pytest.fixture(scope="module")
def driver() -> Callable[[str, tuple[int, int]], Path]:
    """Return a function that builds the driver for a sanitizer and a size of ring."""

    def build(sanitizers: str, size: tuple[int, int]) -> Path:
        return compiled(
            [
                *("gcc", "-std=c11", "-g1", "-O1", "-pthread", "-Wno-tsan"),
                *(f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all"),
                *(f"-DTT_CONFIG_CPUS={WRITERS + 1}", f"-DTT_CONFIG_BUFFERS={size[0]}"),
                f"-DTT_CONFIG_BUFFER_RECORDS={size[1]}",
                *(f"-I{FIRMWARE / 'include'}", f"-I{HERE / 'stress_port'}"),
                str(HERE / "stress_driver.c"),
                *map(str, sorted((FIRMWARE / "core").glob("*.c"))),
            ]
        )

    return build


@dataclass(frozen=True)
class Ring:
    """Records offered by class as a CPU counted them, and its ring as read from the link."""

    offered: dict[int, int]
    link: LinkReader


def live(program: Path, policy: int, link: Path, *, stop: bool) -> list[Ring]:
    """Run the driver; return the rings of the recording CPUs."""
    done = subprocess.run(
        [str(program), str(EVENTS), str(policy), str(int(stop)), str(link)],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
        env=ENVIRONMENT,
    )
    assert (done.returncode, done.stderr) == (0, "")
    rings = []
    for cpu, line in enumerate(done.stdout.splitlines()):
        user, system = map(int, line.split())
        reader = LinkReader(cpu=cpu)
        reader.read(link.read_bytes())
        rings.append(Ring({USER: user, SYSTEM: system}, reader))
    assert len(rings) == WRITERS
    # With UNTIL_FULL, a full ring stops the stream, possibly before the other CPU records.
    assert all(ring.link.records for ring in rings) or policy == UNTIL_FULL
    assert any(ring.link.records for ring in rings)
    return rings


def check_records(cpu: int, reader: LinkReader) -> None:
    """Check that this CPU emitted each record: whole, once, in order of ordinals and time."""
    assert {record.header >> 24 & 63 for record in reader.records} <= {cpu}
    assert all(a.ordinal < b.ordinal for a, b in pairwise(reader.records))
    stamped = [r.time for r in reader.records if r.struct_bits in (SIMPLE, BEGIN)]
    assert stamped == sorted(stamped)
    numbers = []
    for record in reader.records:
        if record.struct_bits == SIMPLE:
            assert (record.event_class, record.header & 1023) == (USER, cpu)
            assert record.data[1] == record.data[0] * 2654435761 % 2**32
            numbers.append(record.data[0])
    assert all(a < b for a, b in pairwise(numbers))
    texts, _ = reader.combine_events()
    assert all(payload[4:] == cpu.to_bytes(4, "little") + TEXT for _, payload in texts)


@pytest.mark.parametrize("sanitizers", ["thread", "address,undefined"])
@pytest.mark.parametrize("size", [(2, 16), (4, 32), (8, 128)])
@pytest.mark.parametrize("policy", [OVERWRITE, DROP])
def test_what_each_cpu_offered_is_accounted_for(
    driver: Callable[[str, tuple[int, int]], Path],
    tmp_path: Path,
    sanitizers: str,
    size: tuple[int, int],
    policy: int,
) -> None:
    """The count of each CPU and class equals delivered + dropped + overwritten."""
    rings = live(driver(sanitizers, size), policy, tmp_path / "link", stop=False)
    for cpu, ring in enumerate(rings):
        check_records(cpu, ring.link)
        check_balance(policy, ring.link)
        offered = {c: sum(ring.link.class_counters[c]) for c in (USER, SYSTEM)}
        assert offered == ring.offered
        assert ring.link.balance()["offered"] == sum(offered.values())


@pytest.mark.parametrize("sanitizers", ["thread", "address,undefined"])
@pytest.mark.parametrize("policy", [OVERWRITE, UNTIL_FULL, DROP])
def test_a_stop_in_the_middle_is_final(
    driver: Callable[[str, tuple[int, int]], Path], tmp_path: Path, sanitizers: str, policy: int
) -> None:
    """No record follows the last receipt, although the CPUs continue for a while."""
    rings = live(driver(sanitizers, (4, 32)), policy, tmp_path / "link", stop=True)
    for cpu, ring in enumerate(rings):
        check_records(cpu, ring.link)
        check_balance(policy, ring.link)
        assert ring.link.balance()["offered"] <= sum(ring.offered.values()) - LATE_EVENTS
