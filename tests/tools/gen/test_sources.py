"""The generator refuses a bad source with its line and a remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools.gen.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path

    from tests.tools.gen.changes import Change

pytestmark = pytest.mark.process  # the generator runs a formatter

WORD = "{name: x, type: u32, doc: a word}"

# file, text to replace, replacement, lines from the text to the reported line, part of the message
BAD = [
    ("events.yaml", "name: CONTROL", "name: control", 0, "UPPER_CASE"),
    ("events.yaml", "name: TIME, number: 1", "name: TIME, number: 1024", 0, "0-1023"),
    ("events.yaml", "name: msb, type: hex", "name: msb, type: u64", 0, "field types listed"),
    ("events.yaml", "name: TICK, number: 4, since: 1, ", "name: TICK, number: 4, ", 0, "since"),
    ("events.yaml", "name: TICK, number: 4", "name: TICK, number: 5", 1, "number of TICK, 5"),
    (
        "events.yaml",
        "name: TICK, number: 4, since: 1",
        "name: TICK, number: 4, since: 9",
        0,
        "is newer",
    ),
    ("events.yaml", "name: SPIN_LOCK,", "name: INTERCEPT,", 0, "used twice"),
    ("events.yaml", "name: SIGNAL\n    number: 12", "name: SIGNAL\n    number: 11", 0, "free one"),
    ("events.yaml", "name: TRACER\n    number: 14", "name: TRACER\n    number: 16", 0, "belong"),
    ("events.yaml", "aliases: [CONTAINER]", "aliases: [CONTROL]", -3, "another class's"),
    ("events.yaml", "{name: msb, type: hex", "{name: event, type: hex", 0, "emitters"),
    ("events.yaml", "{name: msb, type: hex", "{name: lsb, type: hex", 0, "two fields are called"),
    ("events.yaml", "{name: lsb, type", f"{WORD}, {{name: lsb, type", 0, "two words"),
    ("events.yaml", "number: 0, count: 32", "number: 1000, count: 32", 0, "1023 is the last"),
    ("events.yaml", "name: NOP, number: 0", "name: NOP, number: 128", 0, "calls are below 128"),
    ("events.yaml", "suffix: ENTER, offset: 0", "suffix: ENTER, offset: 1", -1, "offset 0"),
    ("events.yaml", "first: 0, last: 20", "first: 0, last: 21", 0, "event 21 is not declared"),
    ("events.yaml", "first: 0, last: 20", "first: 2, last: 1", 0, "last is less than first"),
    ("events.yaml", "name: STATE, first", "name: MUTEX, first", 0, "that of an event"),
    ("events.yaml", "name: STATE, first", "name: TID, first", 0, "that of a field"),
    ("events.yaml", 'thread runs.", fields: *pidtid', 'thread runs.", fields: []', -3, "equal"),
    ("events.yaml", "payload: string, fields: *pidtid", "payload: string, fields: []", 0, "two"),
    (
        "events.yaml",
        "payload: string, fields: *pidtid",
        "payload: string, fields: *pidtid, wide: *state",
        0,
        "one form",
    ),
    ("events.yaml", "name: caller, type", "name: arg0, type", 0, "two fields are called arg0"),
    ("events.yaml", "wide: &interrupted [", "wide: &interrupted [], was: [", 0, "wide"),
    (
        "events.yaml",
        "args: {channel: object, value: hex}",
        "args: {a: u32, b: u32, c: u32, d: u32, e: u32}",
        0,
        "at most four",
    ),
    ("events.yaml", "count: 32,", "count: 32, payload: string,", 0, "cannot be counted"),
    ("events.yaml", "{first: 16, last: 31}", "{first: 31, last: 16}", 0, "swap"),
    (
        "events.yaml",
        "number: 0\n",
        "number: 0\n    events: [{name: A, number: 1, since: 1, doc: A doc, fields: []}]\n",
        -1,
        "never emitted",
    ),
    ("events.yaml", "    kinds:\n", "    events: []\n    kinds:\n", -3, "not both"),
    ("events.yaml", "    kinds:\n", "    kind:\n", -3, "events, or kinds and calls"),
    ("events.yaml", 'since: 1, doc: "A buffer', 'since: 1, since: 2, doc: "A buffer', 0, "twice"),
    ("events.yaml", "\nclasses:", "\nclasses: ]", 1, "correct the YAML"),
    ("events.yaml", "doc: Events of the scheduler.", "doc: Ends the */ comment.", 0, "prose"),
    ("events.yaml", "name: TICK,", "name: OTHER,", None, "defined twice in C"),
    ("wire.yaml", "struct:    {first: 30", "struct:    {first: 29", 0, "gap"),
    ("wire.yaml", "{first: 10, width: 5", "{first: 10, width: 4", -1, "gap"),
    ("wire.yaml", "first: 30, width: 2", "first: 30, width: 3", -1, "must fill 32"),
    ("wire.yaml", "END: 3}", "END: 4}", 0, "does not fit"),
    ("wire.yaml", "bytes: 16\n", "bytes: 12\n", 0, "16 bytes"),
    ("wire.yaml", "flags, type: u32, doc", "flags, type: u16, doc", -15, "multiple of 8"),
    ("wire.yaml", "name: tick_hz, type: u32", "name: tick_hz, type: u64", 2, "no multiple of 8"),
    ("wire.yaml", "value: 0x4B435454", "value: 0x14B435454", 0, "does not fit u32"),
    ("wire.yaml", '"89 54 41 50 45 0D 0A 1A"', '"89 54"', 0, "2 bytes, not 8"),
    ("wire.yaml", "name: settled_sent", "name: register", 0, "word of C"),
    ("wire.yaml", "BIG:    {value: 2", "BIG:    {value: 1", 0, "value 1 is taken"),
    ("wire.yaml", "BIG:    {value: 2", "BIG:    {value: 256", 0, "0-255"),
    ("wire.yaml", "[chunk_type, ", "[chunk_tipe, ", 0, "no enum or struct"),
    ("wire.yaml", "name: noise_bytes, type: u64", "name: noise_bytes, type: f64", 0, "types are"),
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: case[4])
def test_bad_source_is_refused_at_its_line(
    root: Path,
    change: Change,
    capsys: pytest.CaptureFixture[str],
    case: tuple[str, str, str, int | None, str],
) -> None:
    name, old, new, below, says = case
    line = change(name, old, new)
    assert main(["--root", str(root)]) == 2
    first = capsys.readouterr().err.splitlines()[0]
    shown = line + below if below is not None else 1
    assert first.startswith(f"protocol/{name}:{shown}: "), first
    assert says in first
    assert ";" in first, "a message has a remedy"
    assert not (root / "docs").exists(), "nothing is written"


def test_missing_source_is_refused(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "protocol/wire.yaml").unlink()
    assert main(["--root", str(root)]) == 2
    assert capsys.readouterr().err.startswith("protocol/wire.yaml:1: cannot be read")


def test_a_word_of_the_wide_form_is_no_argument(
    root: Path, change: Change, capsys: pytest.CaptureFixture[str]
) -> None:
    change("events.yaml", "name: caller, type", "name: clock, type")
    line = change("events.yaml", "args: {clock: u32}", "args: {clock: hex}")
    assert main(["--root", str(root)]) == 2
    says = f"protocol/events.yaml:{line}: two fields are called clock"
    assert capsys.readouterr().err.startswith(says)


def test_a_call_has_no_more_arguments_than_words(
    root: Path, change: Change, capsys: pytest.CaptureFixture[str]
) -> None:
    change("events.yaml", "{name: arg3,", "{name: fourth,")
    line = change("events.yaml", "args: {clock: u32}", "args: {a: u32, b: u32, c: u32, d: u32}")
    assert main(["--root", str(root)]) == 2
    says = f"protocol/events.yaml:{line}: a call has at most 3 arguments"
    assert capsys.readouterr().err.startswith(says)


@pytest.mark.parametrize("text", ["", "[]", "- 1"])
def test_source_that_is_no_mapping_is_refused(
    root: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (root / "protocol/events.yaml").write_text(text, encoding="utf-8")
    assert main(["--root", str(root)]) == 2
    assert capsys.readouterr().err.startswith("protocol/events.yaml:1: ")


def test_every_complaint_is_shown_at_once(
    root: Path, change: Change, capsys: pytest.CaptureFixture[str]
) -> None:
    change("wire.yaml", "BIG:    {value: 2", "BIG:    {value: 1")
    change("wire.yaml", "value: 0x4B435454", "value: 0x14B435454")
    assert main(["--root", str(root)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2
