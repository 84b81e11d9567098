"""A Zephyr work item is a stimulus, with its submitter and the thread that it makes ready."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.support.zephyr_boards import (
    APPS,
    BUILD_SECONDS,
    RUN_SECONDS,
    build,
    needs_zephyr,
    run,
)
from tickertape.model.compiled_system import system_model
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.model.transitions import Action
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

BOARD = "mps2_an385"

pytestmark = [needs_zephyr, pytest.mark.timeout(BUILD_SECONDS + 2 * RUN_SECONDS)]


def test_a_work_item_names_who_submitted_it(tmp_path: Path) -> None:
    tape = tmp_path / "T.tape"
    trace = run(build(APPS / "objects", BOARD), BOARD, tape)
    model = system_model(lambda _epoch: Names({}, trace.symbols))
    triggers = []
    with TapeReader(tape) as reader:
        for columns in iter_events(reader):
            steps = model.feed(columns)
            for entity, action, source in zip(
                steps.entity.tolist(), steps.action.tolist(), steps.source.tolist(), strict=True
            ):
                item = model.entities[entity]
                if action == Action.TRIGGER and item.kind is Kind.STIMULUS:
                    by = model.entities[source].name if source >= 0 else None  # None: timer
                    triggers.append((item.name, by))
    assert triggers == [("timer", None), ("work.0", "main")]
    ((_, ready),) = (pair for pair in pairwise(trace.events) if pair[0].name == "SCHED.STIMULUS")
    assert (ready.name, ready.words[1]) == ("THREAD.READY", trace.tids["sysworkq"])
