"""Specifications: their meaning, their schema, and every error in them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.support.columns import Row, state, switch
from tests.support.golden import INVERSION, LATE
from tests.support.row_tapes import row_tape
from tickertape.answers.check import Outcome, check
from tickertape.answers.spec import SpecError, load, parse
from tickertape.answers.spec_init import first_spec
from tickertape.answers.spec_kinds import KINDS, Type, schema
from tickertape.errors import TickertapeError, UsageError
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

VALUES: dict[Type, object] = {
    Type.TIME: "2 ms",
    Type.PERCENT: "80 %",
    Type.COUNT: 3,
    Type.NAME: "a name",
    Type.TASK: "control",
    Type.CPU_OR_TASK: 0,
    Type.TASK_OR_ANY: "any",
    Type.OBJECT: "bus",
    Type.INTERRUPT: "tick",
    Type.EVENT: "USER.3",
    Type.EVENTS: ["USER.1", "USER.2"],
    Type.SECTIONS: [["USER.1", "USER.2"], ["USER.3", "USER.4"]],
    Type.TRUE: True,
}
REQUIREMENTS = [
    {name: VALUES[kind.subject], **{key: VALUES[what] for key, what in kind.keys.items()}}
    for name, kind in KINDS.items()
]
EVERYTHING = {"version": 1, "requirements": REQUIREMENTS}


def test_every_kind_is_read_and_keeps_to_the_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(EVERYTHING, schema())
    found = parse(yaml.safe_dump(EVERYTHING).encode(), "all.yaml")
    assert [one.kind for one in found] == list(KINDS)
    assert all("{" not in one.sentence for one in found)
    assert {one.ns("max") for one in found} <= {2_000_000, None}


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_and_the_reader_need_the_same_keys(kind: str) -> None:
    whole = next(one for one in REQUIREMENTS if kind in one)
    for left_out in [key for key in whole if key != kind]:
        part = {key: value for key, value in whole.items() if key != left_out}
        spec = {"requirements": [part]}
        valid = jsonschema.Draft202012Validator(schema()).is_valid(spec)
        try:
            parse(yaml.safe_dump(spec, allow_unicode=True).encode(), "x.yaml")
        except SpecError:
            assert not valid, left_out
        else:
            assert valid, left_out


@pytest.mark.parametrize(
    ("text", "ns"), [("2 ms", 2_000_000), ("1.5us", 1500), ("3 µs", 3000), (".5 s", 500_000_000)]
)
def test_a_time_has_a_unit(text: str, ns: int) -> None:
    (found,) = parse(f"requirements: [{{response: a, max: {text}}}]".encode(), "x.yaml")
    assert found.ns("max") == ns


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["x.yaml:1:1", "no list of requirements", "requirements:"]),
        ("a: [", ["x.yaml:1:5", "this is not YAML"]),
        ("a: b: c", ["x.yaml:1:5", "mapping values are not allowed"]),
        ("\x00", ["x.yaml:1:1", "not YAML"]),
        ("requirments: []", ["x.yaml:1:1", "no key requirments", "did you mean requirements?"]),
        ("requirements: []", ["x.yaml:1:15", "requirements is not a list"]),
        ("version: 2\nrequirements: [{no_losses: true}]", ["x.yaml:1:10", "version: 1"]),
        ("requirements:\n- 5", ["x.yaml:2:3", "a requirement is a list of keys"]),
        ("requirements:\n- respons: a", ["x.yaml:2:3", "did you mean response?"]),
        ("requirements:\n- zzz: a", ["there is no requirement zzz", "choose one of: response"]),
        ("requirements:\n- response: a", ["x.yaml:2:3", "response needs the key max", "2 ms"]),
        ("requirements:\n- period: a", ["period needs the key min or max"]),
        ("requirements:\n- response: a\n  mx: 2 ms", ["x.yaml:3:3", "did you mean max?"]),
        ("requirements:\n- response: a\n  max: 2", ["x.yaml:3:8", "2 has no unit"]),
        ("requirements:\n- response: a\n  max: 2 mss", ["no unit mss", "did you mean ms?"]),
        ("requirements:\n- response: a\n  max: 2 min", ["no unit min", "choose one of: s"]),
        ("requirements:\n- response: a\n  max: soon", ["'soon' is not a time"]),
        ("requirements:\n- response: a\n  max: 9e99 s", ["not a time"]),
        ("requirements:\n- response: a\n  max: 99999999999 s", ["is too long"]),
        ("requirements:\n- response:\n  max: 2 ms", ["response has no value", "name of a task"]),
        ("requirements:\n- response: a\n  response: b", ["response is here twice"]),
        ("requirements:\n- load: 0\n  max: 80", ["'80' is not a percentage", "80 %"]),
        ("requirements:\n- rate: USER.1\n  at_most: x\n  window: 1 s", ["'x' is not a number"]),
        (
            "requirements:\n- rate: READY\n  at_most: 1\n  window: 0 s",
            ["x.yaml:4:11", "the window is empty"],
        ),
        ('requirements:\n- "a\\e[2J": b', ["no requirement a\\x1b[2J"]),
        ("requirements:\n- order: [USER.1]\n  within: 1 s", ["order takes two events"]),
        ("requirements:\n- never: REDY\n  without: READY", ["no event REDY", "READY"]),
        ("requirements:\n- exclusive: USER.1", ["exclusive takes sections"]),
        ("requirements:\n- no_losses: false", ["no_losses can be true only"]),
    ],
)
def test_what_is_wrong_has_its_place(text: str, parts: list[str]) -> None:
    with pytest.raises(SpecError) as refused:
        parse(text.encode(), "x.yaml")
    for part in parts:
        assert part in str(refused.value)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    for before in (b"", b"{", b"requirements:\n- ", b"requirements:\n- response: a\n  max: "):
        with suppress(TickertapeError):
            parse(before + data, "x.yaml")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        load(tmp_path / "none.yaml")
    with pytest.raises(SpecError, match="cannot be read"):
        load(tmp_path)
    large = tmp_path / "large.yaml"
    large.write_bytes(b"#" * (1 << 21))
    with pytest.raises(SpecError, match="larger than 1 MiB"):
        load(large)


def test_a_first_specification_passes_on_its_own_tape(tmp_path: Path) -> None:
    rows = LATE[:-1]
    for number in range(4):
        time = 100 + 100 * number
        rows = [*rows, *_turn(time, 3 + number)]
    with TapeReader(row_tape(tmp_path / "T.tape", rows)) as reader:
        text = first_spec(reader)
        assert "  # 6 instances; longest response 2.8 us\n  - response: a\n    max: 3.36 us" in text
        verdicts = check(reader, parse(text.encode(), "x.yaml"))
    assert {one.outcome for one in verdicts} == {Outcome.PASS}


def _turn(time: int, number: int) -> list[Row]:
    return [
        switch(time - 20, 1, 2),
        Row(time, (9, 6), (1, number)),
        state(time, 2, 1),
        switch(time, 2, 1),
        Row(time + 10, (9, 7), (1, number)),
        state(time + 10, 12, 1),
    ]


def test_a_tape_without_instances_gives_no_specification(tmp_path: Path) -> None:
    with (
        TapeReader(row_tape(tmp_path / "T.tape", INVERSION)) as reader,
        pytest.raises(UsageError, match="no task with 3 whole instances"),
    ):
        first_spec(reader)
