"""Fleets: a broken tape is reported and the others are converted, by threads and by a cluster."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from distributed import LocalCluster

from tests.support.lossy_tapes import lossy
from tickertape.errors import UsageError
from tickertape.formats.arrow.fleet import export_fleet, fleet_facts, tapes_in
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.command import Command


@pytest.fixture
def fleet(tape: Path, make_tape: Callable[..., Path], tmp_path: Path) -> Path:
    folder = tmp_path / "fleet"
    (folder / "night").mkdir(parents=True)
    shutil.copy(tape, folder / "one.tape")
    make_tape(lossy(5)[1], "fleet/night/two.tape")
    (folder / "broken.tape").write_bytes(
        b"this is not a tape, but long enough to be read as one." * 9
    )
    return folder


def test_the_rest_is_done(tickertape: Command, fleet: Path, tmp_path: Path) -> None:
    done = tickertape("fleet", "export", fleet, "-o", "data", "--partition")
    assert done.returncode == 4
    assert done.stderr.startswith("tickertape: broken: ")
    assert done.stderr.count("\n") == 1
    with TapeReader(fleet / "night/two.tape") as reader:
        count = sum(len(part) for part in iter_events(reader))
    assert done.stdout == f"data: {81 + count} events of 2 tapes\n"
    table = pq.read_table(tmp_path / "data/events", partitioning="hive")
    assert table.num_rows == 81 + count
    assert set(table["tape"].to_pylist()) == {"one", "night.two"}
    for name in ("losses", "rings", "threads"):
        folders = {path.name for path in (tmp_path / "data" / name).iterdir()}
        assert folders == {"tape=one", "tape=night.two"}


def test_stats(tickertape: Command, fleet: Path) -> None:
    done = tickertape("fleet", "stats", fleet, "--json")
    assert done.returncode == 4
    found = json.loads(done.stdout)
    assert set(found["tapes"]) == {"one", "night.two"}
    assert set(found["broken"]) == {"broken"}
    one, two = found["tapes"]["one"], found["tapes"]["night.two"]
    assert (one["events"], one["lost"], one["longest"]) == (81, 0, "producer")
    assert two["lost"] > 0
    assert not two["complete"]
    for name in ("events", "offered", "lost"):
        assert found["total"][name] == one[name] + two[name]
    text = tickertape("fleet", "stats", fleet).stdout.splitlines()
    assert [line.split()[0] for line in text] == ["tape", "night.two", "one", "total"]
    assert text[2].endswith("yes  producer 0.000480 s")


def test_what_is_no_fleet(tickertape: Command, tmp_path: Path, fleet: Path) -> None:
    (tmp_path / "empty").mkdir()
    for words, part in (
        (("stats", "nowhere"), "there is no folder nowhere; "),
        (("stats", "empty"), "no tape is in empty; "),
        (("export", fleet, "-o", fleet), "already exists; "),
        (("stats", fleet, "--scheduler", "nonsense://x"), "no Dask scheduler answers at "),
    ):
        done = tickertape("fleet", *words)
        assert done.returncode in {2, 4}
        assert part in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.process
def test_a_cluster_does_the_same(fleet: Path, tmp_path: Path) -> None:
    tapes = tapes_in(fleet)
    with LocalCluster(  # type: ignore[no-untyped-call] # the package is typed in part
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address
        outcomes = list(export_fleet(tapes, tmp_path / "d", partitioned=False, scheduler=address))
        facts = {one.name: one.value for one in fleet_facts(tapes, scheduler=address)}
    here = {one.name: one.value for one in fleet_facts(tapes, scheduler=None)}
    assert facts == here
    assert {one.name for one in outcomes if one.problem} == {"broken"}
    expected = {name: found.events for name, found in here.items() if found}
    assert {one.name: one.value for one in outcomes if one.value is not None} == expected


def test_without_dask_it_says_what_to_install(fleet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(UsageError, match=r"tickertape\[fleet\]"):
        list(fleet_facts(tapes_in(fleet), scheduler=None))
