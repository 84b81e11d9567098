"""Presentation of measured values; the tests do not judge the values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tickertape.tape import TapeReader, iter_events
from tools.bench import mix, page
from tools.bench.exports import EXPORTS
from tools.bench.result import BUDGETS, Result, as_json, number, table

PAGE = Path(__file__).parents[2] / "docs/benchmarks.md"

RESULTS = (
    Result("emit_instructions", 29.0, "counted"),
    Result("filtered_instructions", 7.5, "counted"),
    Result("decode_records_per_s", 57.3e6, "timed"),
    Result("full_instructions", 113.0, "counted"),
)


def test_the_table_has_a_verdict_where_there_is_a_budget() -> None:
    assert [line.split("  ")[0] for line in table(RESULTS).splitlines()] == [
        "key",
        *(result.key for result in RESULTS),
    ]
    lines = [" ".join(line.split()) for line in table(RESULTS).splitlines()]
    assert lines[1] == "emit_instructions 29 instructions ≤ 32 ok barectf + lock 101"
    assert " 7.5 instructions ≤ 6 over " in lines[2]
    assert " 57.3 M records/s ≥ 100 M below " in lines[3]
    assert " 113 instructions - barectf" in lines[4]


def test_the_file_has_the_keys_that_were_promised() -> None:
    found = json.loads(as_json(RESULTS))
    assert list(found) == [result.key for result in RESULTS]
    assert found["emit_instructions"] == {
        "value": 29.0,
        "how": "counted",
        "unit": "instructions",
        "budget": "≤ 32",
        "peer": BUDGETS["emit_instructions"].peer,
    }


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "0.5"), (31.25, "31.2"), (2560, "2 560"), (1e8, "100 M")]
)
def test_numbers_are_brief(value: float, text: str) -> None:
    assert number(value) == text


def test_the_mix_is_what_it_says(tmp_path: Path) -> None:
    records = mix.write_tape(tmp_path / "mix.tape", 3000)
    with TapeReader(tmp_path / "mix.tape") as reader:
        assert reader.record_count == records == 3000
        events = [event for columns in iter_events(reader) for event in columns.events()]
    assert len(events) == records * mix.EVENTS_PER_PERIOD // 25
    assert sum(event.payload is not None for event in events) == records * 4 // 25
    times = [event.time_ticks for event in events]
    assert times == sorted(times)
    assert {event.text for event in events if event.payload is not None} == {"net", "sensor 1"}


def test_every_export_has_a_line_in_the_table() -> None:
    assert {f"{what}_events_per_s" for what in EXPORTS} <= BUDGETS.keys()
    with pytest.raises(KeyError):
        Result("nobody_knows", 1.0, "not at all")


def test_the_page_has_each_key_with_its_budget() -> None:
    text = PAGE.read_text("utf-8")
    assert page.filled_in(text, {}) == text
    for key in BUDGETS:
        assert text.count(f"| `{key}` |") == 1, key


def test_a_run_fills_in_its_values_only() -> None:
    text = PAGE.read_text("utf-8")
    filled = page.filled_in(text, {"filtered_instructions": 7.5})
    rows = [line for line in filled.splitlines() if line not in text.splitlines()]
    assert rows == [
        (
            "| `filtered_instructions` | filtered out at run time | 7.5 instructions, over | ≤ 6 "
            "| TraceRecorder 14 |"
        )
    ]
    assert page.filled_in(filled, {"filtered_instructions": 4}) == text
