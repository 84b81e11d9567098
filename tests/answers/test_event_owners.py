"""Events by the owner of the CPU, compared with a loop over events, with losses."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.support.row_tapes import row_tape
from tests.support.simulation import simulate
from tickertape.answers.event_owners import EventOwners
from tickertape.answers.places import names_of
from tickertape.model.entities import Kind
from tickertape.model.system import SystemModel
from tickertape.model.transitions import Action, State
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.decode.events import EventColumns
    from tickertape.model.entities import Entities
    from tickertape.model.transitions import Transitions

NOT_KNOWN = -1


class Walk:
    """The oracle: the owner of each CPU, updated by each transition."""

    def __init__(self, entities: Entities) -> None:
        self.entities = entities
        self.running: set[tuple[int, int]] = set()  # (CPU, entity)
        self.known: set[int] = set()
        self.alone: Counter[int] = Counter()
        self.shared: Counter[int] = Counter()

    def feed(self, columns: EventColumns, found: Transitions) -> None:
        every = list(range(len(found)))
        for row in range(len(columns)):
            mine = [one for one in every if found.row[one] == row]
            cpu = int(columns.cpu[row])
            self.take(found, [one for one in mine if found.action[one] == Action.LOSE])
            before = self.owners(cpu)
            self.take(found, [one for one in mine if found.action[one] != Action.LOSE])
            after = self.owners(cpu)
            self.shared.update(before | after)
            if before == after:
                self.alone.update(before - {NOT_KNOWN})
        self.take(found, [one for one in every if found.row[one] == len(columns)])

    def owners(self, cpu: int) -> set[int]:
        if cpu not in self.known:
            return {NOT_KNOWN}
        return {entity for number, entity in self.running if number == cpu}

    def take(self, found: Transitions, rows: list[int]) -> None:
        for one in rows:
            entity, source = int(found.entity[one]), int(found.source[one])
            kind, is_unknown = self.entities[entity].kind, found.after[one] == State.UNKNOWN
            if kind is Kind.CORE:
                cpu = self.entities[entity].number
                self.known = self.known - {cpu} if is_unknown else self.known | {cpu}
            elif kind in {Kind.TASK, Kind.INTERRUPT} and source >= 0:
                place = self.entities[source].number, entity
                self.running.discard(place)
                if found.after[one] == State.RUNNING:
                    self.running.add(place)


@pytest.mark.parametrize("loses", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_counts_are_those_of_a_plain_walk(tmp_path: Path, seed: int, *, loses: bool) -> None:
    cpus = 1 + seed % 3
    rows = [row for row in simulate(seed, cpus).rows if row.payload is None]
    lost = range(1, len(rows) // 16 - cpus, 3 + seed) if loses else ()
    tape = row_tape(
        tmp_path / "T.tape", rows, is_lost=set(lost).__contains__, buffer_records=16, cpus=cpus
    )
    events = missing = 0
    with TapeReader(tape) as reader:
        model = SystemModel(names_of(reader))
        owners, walk = EventOwners(model.entities), Walk(model.entities)
        for columns in iter_events(reader):
            found = model.feed(columns)
            every = np.ones(len(columns), np.int64)
            owners.feed(columns, found, every, every, 2 * every)
            walk.feed(columns, found)
            events += len(columns)
            missing += sum(gap.lost for gap in columns.gaps)
    assert events + missing == len(rows)
    assert bool(missing) == loses
    assert +Counter(owners.alone.by_entity) == walk.alone
    shared, twice = owners.shared
    unknown = walk.shared.pop(NOT_KNOWN, 0)
    assert +Counter(shared.by_entity) == walk.shared
    assert twice.by_entity == {one: 2 * count for one, count in shared.by_entity.items()}
    assert (shared.unknown, twice.unknown) == (unknown, 2 * unknown)
