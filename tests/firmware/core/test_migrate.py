"""A thread that moves between CPUs never becomes a second writer of a ring.

Each CPU is a mutex that masking takes. A thread that uses a CPU number without masking races with
that CPU's writer: TSan, the cursor and the balance reveal it.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.firmware.core.balance import ENVIRONMENT, USER, check_balance
from tests.support.link_reader import LinkReader
from tests.support.patience import HANG_S
from tests.support.programs import compiled

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[2] / "firmware"
DROP = 2
STEPS = int(os.environ.get("MIGRATE_STEPS", "300"))


@pytest.mark.parametrize("sanitizers", ["thread", "address,undefined"])
@pytest.mark.parametrize("cpus", [2, 3])
def test_a_flusher_that_migrates_writes_no_ring(tmp_path: Path, cpus: int, sanitizers: str) -> None:
    """Every record of every CPU arrives whole and once, or is counted as dropped."""
    link = tmp_path / "link"
    program = compiled(
        [
            *("gcc", "-std=c11", "-g1", "-O1", "-pthread", "-Wno-tsan", f"-fsanitize={sanitizers}"),
            *("-fno-sanitize-recover=all", f"-DTT_CONFIG_CPUS={cpus}"),
            *("-DTT_CONFIG_BUFFERS=4", "-DTT_CONFIG_BUFFER_RECORDS=16", f"-I{FIRMWARE / 'core'}"),
            *(f"-I{FIRMWARE / 'include'}", f"-I{HERE / 'migrate_port'}"),
            str(HERE / "migrate_driver.c"),
            *map(str, sorted((FIRMWARE / "core").glob("*.c"))),
        ]
    )
    done = subprocess.run(
        [str(program), str(STEPS), str(link)],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
        env=ENVIRONMENT,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for cpu, offered in enumerate(map(int, done.stdout.split())):
        reader = LinkReader(cpu=cpu)
        reader.read(link.read_bytes())
        check_balance(DROP, reader)
        assert sum(reader.class_counters[USER]) == reader.balance()["offered"] == offered
        numbers = [record.data[0] for record in reader.records]
        assert all(record.header >> 24 & 63 == cpu for record in reader.records)
        assert all(r.data[1] == r.data[0] * 2654435761 % 2**32 for r in reader.records)
        assert numbers == sorted(set(numbers))


def test_a_ring_that_an_emitter_left_accounts_for_its_records() -> None:
    """After an emitter has left its ring at any step, both CPUs read counters that agree."""
    program = compiled(
        [
            *("gcc", "-std=c11", "-g1", "-O1", "-fsanitize=address,undefined"),
            *("-fno-sanitize-recover=all", "-DTT_CONFIG_CPUS=2", "-DTT_CONFIG_BUFFERS=2"),
            *("-DTT_CONFIG_BUFFER_RECORDS=16", f"-I{FIRMWARE / 'core'}"),
            *(f"-I{FIRMWARE / 'include'}", f"-I{HERE / 'migrate_port'}"),
            str(HERE / "left_ring_driver.c"),
            *map(str, sorted((FIRMWARE / "core").glob("*.c"))),
        ]
    )
    done = subprocess.run([program], capture_output=True, text=True, timeout=HANG_S, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
