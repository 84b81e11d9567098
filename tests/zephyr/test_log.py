"""CONFIG_TICKERTAPE_LOG records each message of Zephyr's log as an event when it is logged."""

from __future__ import annotations

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
from tickertape.model.messages import is_message, message_of
from tickertape.model.names import Names

if TYPE_CHECKING:
    from pathlib import Path

BOARD = "mps2_an385"
SAID = [
    "<inf> station: nothing",
    "<wrn> station: one -1",
    "<inf> station: two 1 ab",
    "<dbg> station: three 1 2 3",
    "<inf> station: five 1 2 3 4 5",
    "<inf> station: long -5000000000 after 9",
    "<inf> station: 1 double 2.50",
    "<inf> station: constant text",
    "<inf> station: in RAM 4 too 6 in",
    "<inf> station: bytes",
    "<err> station: interrupt -7",
]
MOST_INSTRUCTIONS = 120
INSTRUCTIONS_PER_TICK = 1.25

pytestmark = [needs_zephyr, pytest.mark.timeout(BUILD_SECONDS + 2 * RUN_SECONDS)]


@pytest.mark.parametrize("options", [(), ("-DCONFIG_LOG_RUNTIME_FILTERING=y",)], ids=str)
def test_every_form_of_a_message_reads_as_zephyr_writes_it(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    only: tuple[str, ...] = ()
    if options:  # with backends, Zephyr prefixes messages with function names
        only = ("-DCONFIG_LOG_FRONTEND_ONLY=n", "-DCONFIG_LOG_FUNC_NAME_PREFIX_DBG=n")
    clock = "-DCONFIG_TICKERTAPE_CLOCK_REGISTER=y"
    folder = build(APPS / "log", BOARD, clock, *options, *only, name=f"log{len(options)}")
    trace = run(folder, BOARD, tmp_path / "T.tape")
    names = Names({}, trace.symbols)
    said = [(event, message_of(event, names).text) for event in trace.events if is_message(event)]
    texts = [text for _, text in said if text is not None and "station: " in text]
    turns = [text for text in texts if "turn" in text]
    assert [text for text in texts if text not in turns] == SAID
    assert [text.rpartition(",")[0] for text in turns] == [
        f"<dbg> station: turn {turn} of 100" for turn in range(100)
    ]


def test_a_message_of_three_words_costs_what_the_guide_states(tmp_path: Path) -> None:
    clock = "-DCONFIG_TICKERTAPE_CLOCK_REGISTER=y"
    trace = run(build(APPS / "log", BOARD, clock, name="log0"), BOARD, tmp_path / "T.tape")
    (cost,) = (event.words for event in trace.events if event.name == "USER.USER_0")
    assert cost[0] * INSTRUCTIONS_PER_TICK <= MOST_INSTRUCTIONS
