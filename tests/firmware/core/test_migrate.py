"""A thread that moves between CPUs never becomes a second writer of a ring.

Each CPU is a mutex that masking takes, so a thread that holds the number of a CPU without masking
races with that CPU's writer: TSan sees it, and so do the cursor and the balance.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.firmware.core.link_reader import LinkReader
from tests.firmware.core.test_stress import ENVIRONMENT, USER, check_balance

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[2] / "firmware"
DROP = 2
STEPS = int(os.environ.get("MIGRATE_STEPS", "300"))


@pytest.mark.parametrize("sanitizers", ["thread", "address,undefined"])
@pytest.mark.parametrize("cpus", [2, 3])
def test_a_flusher_that_migrates_writes_no_ring(tmp_path: Path, cpus: int, sanitizers: str) -> None:
    """Every record of every CPU comes whole and once, or is counted as dropped."""
    program, link = tmp_path / "driver", tmp_path / "link"
    subprocess.run(
        [
            *("gcc", "-std=c11", "-g", "-O1", "-pthread", "-Wno-tsan", f"-fsanitize={sanitizers}"),
            *("-fno-sanitize-recover=all", f"-DTT_CONFIG_CPUS={cpus}"),
            *("-DTT_CONFIG_BUFFERS=4", "-DTT_CONFIG_BUFFER_RECORDS=16", f"-I{FIRMWARE / 'core'}"),
            *(f"-I{FIRMWARE / 'include'}", f"-I{HERE / 'migrate_port'}"),
            str(HERE / "migrate_driver.c"),
            *map(str, sorted((FIRMWARE / "core").glob("*.c"))),
            *("-o", str(program)),
        ],
        check=True,
    )
    done = subprocess.run(
        [str(program), str(STEPS), str(link)],
        capture_output=True,
        text=True,
        timeout=110,
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
