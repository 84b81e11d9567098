"""Every damaged tape of tests/data yields the receipts that expected.json states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.lossy_tapes import terms_of
from tests.support.tapes import compare
from tickertape.analysis.balance import balance_of
from tickertape.decode.events import DecodeCounters
from tickertape.edit.repair import repair
from tickertape.tape import TapeReader
from tickertape.tape.stream import ring_events
from tools.fuzz.corpus import FOLDER, Corpus
from tools.fuzz.targets import read_everything

EXPECTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text())


@pytest.mark.parametrize("name", EXPECTED)
def test_receipts_are_those_of_the_truth(name: str) -> None:
    path, expected = FOLDER / f"{name}.tape", EXPECTED[name]
    compare(path, damaged=True)
    with TapeReader(path) as reader:
        assert reader.closed == expected["closed"]
        check_rings(reader, expected["rings"])
        read_everything(reader)
        assert (reader.issues == []) == expected["sound"]


@pytest.mark.parametrize("name", EXPECTED)
def test_repair_changes_no_receipt(tmp_path: Path, name: str) -> None:
    repair(FOLDER / f"{name}.tape", tmp_path / "out.tape")
    with TapeReader(tmp_path / "out.tape") as reader:
        assert reader.closed
        check_rings(reader, EXPECTED[name]["rings"])


def test_boards_and_names_that_are_whole_are_found() -> None:
    found = {}
    for name in ("two_boards", "board_damaged", "symbols_damaged"):
        with TapeReader(FOLDER / f"{name}.tape") as reader:
            boards = [(board.name, board.bound_ns) for board in reader.boards.values()]
            names = [row.name for table in reader.symbol_tables for row in table.rows]
            found[name] = (boards, names)
    both = [("wheel", 10**6), ("arm", 10**6)]
    assert found == {
        "two_boards": (both, ["main", "käfig"]),
        "board_damaged": (both[1:], ["main", "käfig"]),
        "symbols_damaged": (both, []),
    }


def check_rings(reader: TapeReader, expected: list[dict[str, Any]]) -> None:
    found = []
    for ring in balance_of(reader, by_class=False).rings:
        if not ring.end_ordinal and not ring.balance.offered and not ring.final:
            continue  # all chunks of this ring are damaged
        events = sum(len(part) for part in ring_events(reader, ring.ring, DecodeCounters()))
        found.append(
            {
                "epoch": ring.ring.epoch,
                "cpu": ring.ring.cpu,
                "first_ordinal": ring.first_ordinal,
                "end_ordinal": ring.end_ordinal,
                **terms_of(ring.balance),
                "events": events,
            }
        )
    assert found == expected


def test_the_files_are_what_the_script_makes() -> None:
    corpus = Corpus()
    files = {path.stem: path.read_bytes() for path in FOLDER.glob("*.tape")}
    assert files == corpus.tapes
    assert corpus.expected == EXPECTED
    assert sum(map(len, files.values())) < 200_000


def test_the_corpus_has_every_kind_of_loss() -> None:
    rings = [ring for one in EXPECTED.values() for ring in one["rings"]]
    for term in ("delivered", "overwritten", "damaged"):
        assert any(ring[term] for ring in rings)
    assert len(EXPECTED) >= 15
    assert Path(FOLDER).name == "damaged"
