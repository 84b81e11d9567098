"""Several streams at once have independent balances and do not disturb each other."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.link_reader import BEGIN, SIMPLE, LinkReader
from tests.support.programs import compiled

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[2] / "firmware"
STREAMS = 3
OVERWRITES = 1  # number of the stream that overwrites; the others drop


@pytest.fixture(scope="module")
def driver() -> Path:
    return compiled(
        [
            *("gcc", "-std=c11", "-g1", "-O1", "-fsanitize=address,undefined"),
            *("-fno-sanitize-recover=all", f"-DTT_CONFIG_STREAMS={STREAMS}"),
            *("-DTT_CONFIG_BUFFERS=4", "-DTT_CONFIG_BUFFER_RECORDS=32"),
            *(f"-I{FIRMWARE / 'include'}", f"-I{HERE / 'port'}"),
            str(HERE / "streams_driver.c"),
            *map(str, sorted((FIRMWARE / "core").glob("*.c"))),
        ]
    )


@pytest.mark.parametrize("seed", range(5))
def test_each_stream_is_accounted_for(driver: Path, seed: int, tmp_path: Path) -> None:
    link = tmp_path / "link"
    done = subprocess.run(
        [str(driver), str(seed), "20000", str(link)], capture_output=True, text=True, check=True
    )
    offered: list[dict[int, int]] = [{} for _ in range(STREAMS)]
    for line in done.stdout.splitlines():
        stream, event_class, records = map(int, line.split())
        if records:
            offered[stream][event_class] = records
    for stream, mine in enumerate(offered):
        reader = LinkReader(stream=stream)
        reader.read(link.read_bytes())
        assert reader.final
        assert {c: sum(n) for c, n in enumerate(reader.class_counters) if sum(n)} == mine
        balance = reader.balance()
        assert balance["offered"] == sum(mine.values())
        assert balance["damaged"] == 0
        assert (balance["overwritten"] > 0) is (stream == OVERWRITES)
        assert (balance["dropped"] > 0) is (stream != OVERWRITES)
        assert all(a.ordinal < b.ordinal for a, b in pairwise(reader.records))
        stamped = [r.time for r in reader.records if r.struct_bits in (SIMPLE, BEGIN)]
        assert stamped == sorted(stamped)
        for record in reader.records:
            if record.struct_bits in (SIMPLE, BEGIN):
                assert record.data[1] == record.data[0] * 2654435761 % 2**32
