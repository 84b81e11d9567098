"""Parquet datasets: they have the contents of the tapes, and the documented queries run."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow.parquet as pq
import pytest

from tests.support.lossy_tapes import lossy
from tickertape.analysis.balance import balance_of
from tickertape.errors import UsageError
from tickertape.formats.arrow import parquet
from tickertape.formats.arrow.parquet import add_tape
from tickertape.formats.source import Source
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.command import Command

PAGE = Path(__file__).parents[3] / "docs/parquet.md"


def rows_of(dataset: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(dataset / table, partitioning="hive").to_pylist()
    return found


@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("part_rows", [1 << 20, 50])
def test_every_event_and_every_loss_is_a_row(
    make_tape: Callable[[bytes], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    partitioned: bool,  # noqa: FBT001 - a parameter
    part_rows: int,
) -> None:
    monkeypatch.setattr(parquet, "_PART_ROWS", part_rows)
    tape = make_tape(lossy(7)[1])
    with TapeReader(tape) as reader:
        report = add_tape(Source(reader), tmp_path / "d", name="x", partition=partitioned)
        parts = list(iter_events(reader))
        events = [event for part in parts for event in part.events()]
        gaps = [(part.epoch, gap) for part in parts for gap in part.gaps]
        balance = balance_of(reader)
        hz = reader.clock(0).hz
    rows = rows_of(tmp_path / "d", "events")
    assert len(rows) == report.counts["events"] == len(events)
    files = sorted((tmp_path / "d/events").rglob("part-*.parquet"))
    assert report.counts["files"] == len(files)
    if part_rows > len(events):
        assert len(files) == (3 if partitioned else 1)
    else:
        assert len(files) > len(events) // part_rows // 4
    assert all(pq.read_metadata(file).num_rows for file in files)
    for event, row in zip(events, rows, strict=True) if not partitioned else ():
        assert (event.epoch, event.cpu, event.ordinal) == tuple(
            row[name] for name in ("epoch", "cpu", "ordinal")
        ), "the order of the names of files is that of the tape"
    key = ("epoch", "cpu", "stream", "ordinal")
    by_key = {tuple(row[name] for name in key): row for row in rows}
    for event in events:
        row = by_key[event.epoch, event.cpu, event.stream, event.ordinal]
        assert row["tape"] == "x"
        assert row["time"] == event.time_ticks
        assert row["time_ns"] == event.time_ticks * 10**9 // hz
        assert f"{row['class']}.{row['event']}" == event.name
        assert row["payload"] == event.payload
        assert row["domain"] == event.domain
        if event.payload is None:
            assert (row["data0"], row["data1"]) == event.words
    losses = rows_of(tmp_path / "d", "losses")
    assert [row["records"] for row in losses] == [gap.lost for _, gap in gaps]
    assert [row["epoch"] for row in losses] == [epoch for epoch, _ in gaps]
    for row in losses:
        assert row["records"] == row["dropped"] + row["overwritten"] + row["damaged"]
    rings = rows_of(tmp_path / "d", "rings")
    for name in ("offered", "delivered", "overwritten", "dropped", "damaged"):
        assert sum(row[name] for row in rings) == getattr(balance.total, name)
    assert balance.total.holds


def test_a_part_that_cannot_be_written_is_told(tape: Path, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/events").write_text("a file where a folder has to be")
    with TapeReader(tape) as reader, pytest.raises(OSError, match="events"):
        add_tape(Source(reader), tmp_path / "d", name="x", encoders=2)


def test_without_pyarrow_it_says_what_to_install(
    tape: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with TapeReader(tape) as reader, pytest.raises(UsageError, match=r"tickertape\[arrow\]"):
        add_tape(Source(reader), tmp_path / "d", name="x")


@pytest.fixture
def dataset(tickertape: Command, make_tape: Callable[..., Path], tmp_path: Path) -> Path:
    """Return the dataset of two tapes: a run without losses, and one with many losses."""
    (tmp_path / "fleet").mkdir()
    words = ("--target", "native", "--duration", "0.4", "-o", "fleet/whole.tape")
    assert tickertape("run", "-q", *words).returncode == 0
    make_tape(lossy(3)[1], "fleet/lossy.tape")
    done = tickertape("fleet", "export", "fleet", "-o", "dataset")
    assert (done.returncode, done.stderr) == (0, "")
    return tmp_path / "dataset"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_queries_of_the_page_in_sql(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(dataset.parent)
    base = duckdb.connect()
    views, longest, latency, held, complete = blocks("sql")
    base.execute(views)
    ran = base.execute(longest).fetchall()
    with TapeReader("fleet/whole.tape") as reader:
        assert ran[0][:2] == ("whole", "idle")
        assert sum(row[2] for row in ran if row[0] == "whole") == pytest.approx(400, rel=0.01)
        assert reader.record_count
    worst = {row[1]: row[3] for row in base.execute(latency).fetchall() if row[0] == "whole"}
    # Priority inversion is bounded: threads of higher priority wait at most for logger's lock.
    assert worst["motor"] < worst["control"] < worst["logger"]
    tape, _, name, held_us = base.execute(held).fetchall()[0]
    assert (tape, name) == ("whole", "logger")
    assert held_us > 100
    table = {row[0]: row[1:] for row in base.execute(complete).fetchall()}
    offered, lost, percent, certain = table["whole"]
    assert (lost, percent, certain) == (0, 0, True)
    assert offered > 1000
    offered, lost, percent, certain = table["lossy"]
    assert 0 < lost < offered
    assert percent == pytest.approx(100 * lost / offered, abs=0.001)


def test_the_queries_of_the_page_in_polars(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(dataset.parent)
    space: dict[str, Any] = {}
    for block in blocks("python"):
        exec(block, space)  # noqa: S102 - our own page
    rates = {(row["tape"], row["class"]): row for row in space["rates"].to_dicts()}
    assert rates["whole", "SCHED"]["per_second"] > 1000
    stays = [row for row in space["stays"].to_dicts() if row["tape"] == "whole"]
    assert len({row["tid"] for row in stays}) >= 8
    assert all(row["median_us"] is None or row["median_us"] >= 0 for row in stays)


def test_the_command(tickertape: Command, tape: Path, tmp_path: Path) -> None:
    done = tickertape("export", "parquet", tape, "-o", "d")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "d: 81 events in 1 files\n")
    assert len(rows_of(tmp_path / "d", "events")) == 81
    names = [row["name"] for row in rows_of(tmp_path / "d", "threads")]
    assert names == ["producer", "consumer"]
    done = tickertape("export", "parquet", tape, "-o", "d")
    assert (done.returncode, done.stderr) == (
        4,
        "tickertape: d already exists; remove it, or choose another name\n",
    )
