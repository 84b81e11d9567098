"""The generated files match the sources, and `--check` detects when they do not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tools.gen import outputs
from tools.gen.__main__ import main

if TYPE_CHECKING:
    from tests.tools.gen.changes import Change

pytestmark = pytest.mark.process  # the generator runs a formatter

CHECKOUT = Path(__file__).parents[3]
PATHS = sorted(outputs.render(*outputs.read(CHECKOUT)))


def test_checkout_is_up_to_date() -> None:
    assert main(["--check", "--root", str(CHECKOUT)]) == 0


def test_second_run_writes_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--root", str(root)]) == 0
    capsys.readouterr()
    assert main(["--root", str(root)]) == 0
    assert capsys.readouterr().out == ""
    assert main(["--check", "--root", str(root)]) == 0


@pytest.mark.parametrize("path", PATHS)
def test_stale_file_is_noticed(root: Path, capsys: pytest.CaptureFixture[str], path: str) -> None:
    main(["--root", str(root)])
    capsys.readouterr()
    with (root / path).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert main(["--check", "--root", str(root)]) == 1
    assert capsys.readouterr().err == f"{path}: is not what `make gen` makes; run it and commit\n"


def test_missing_file_is_noticed(root: Path) -> None:
    main(["--root", str(root)])
    (root / PATHS[0]).unlink()
    assert main(["--check", "--root", str(root)]) == 1


@pytest.mark.parametrize("path", PATHS)
def test_file_says_that_it_is_generated_and_holds_no_date(path: str) -> None:
    text = (CHECKOUT / path).read_text(encoding="utf-8")
    start = "\n".join(text.splitlines()[:2])
    assert "Generated from protocol/" in start
    assert "do not edit" in start
    assert not re.search(r"\b20[2-9]\d-[01]\d-[0-3]\d\b", text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("doc: Events of the scheduler.", "doc: Work of the scheduler."),
        ("name: prev_tid, type: thread, doc", "name: prev_tid, type: thread,  doc"),
        ("CONTEXT_SWITCH, number: 0, since: 1", "CONTEXT_SWITCH, since: 1, number: 0"),
    ],
)
def test_dictionary_hash_does_not_follow_prose_and_layout(
    root: Path, change: Change, old: str, new: str
) -> None:
    before, *_ = outputs.read(root)
    change("events.yaml", old, new)
    after, *_ = outputs.read(root)
    assert after.hash() == before.hash()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: TICK, number: 4", "name: TOCK, number: 4"),
        ("name: TICK, number: 4", "name: TICK, number: 9"),
        ("name: prev_tid, type: thread", "name: prev_tid, type: u32"),
        ("name: prev_tid, type: thread", "name: from_tid, type: thread"),
        ("name: SCHED\n", "name: PLAN\n"),
        ("payload: string, fields: *pidtid", "fields: *pidtid"),
    ],
)
def test_dictionary_hash_follows_meaning(root: Path, change: Change, old: str, new: str) -> None:
    before, *_ = outputs.read(root)
    change("events.yaml", old, new)
    after, *_ = outputs.read(root)
    assert after.hash() != before.hash()


def test_an_event_that_is_added_reaches_every_output(root: Path, change: Change) -> None:
    event = '{name: PLANNED, number: 9, since: 1, doc: "Planned.", fields: [%s]}'
    word = '{name: tid, type: thread, doc: "who"}'
    at = "\n  - name: IRQSTATE\n"
    change("events.yaml", at, f"      - {event % word}\n{at}")
    assert main(["--root", str(root)]) == 0
    for path, text in (
        ("firmware/include/tickertape/events.h", "#define TT_SCHED_PLANNED "),
        ("firmware/include/tickertape/emitters.h", "tt_emit_sched_planned(uint32_t tid)"),
        ("host/src/tickertape/protocol/events.py", "PLANNED = 9"),
        ("docs/events.md", "| PLANNED | 9 | `tid` thread: who | - | Planned. | 1.1 |"),
    ):
        assert text in (root / path).read_text(encoding="utf-8")


def test_a_class_number_may_be_left_free(root: Path, change: Change) -> None:
    empty = "  - name: EMPTY\n    number: 0\n"
    change("events.yaml", f"{empty}    doc: Never emitted; a zeroed record is recognisable.\n", "")
    assert main(["--root", str(root)]) == 0
    text = (root / "firmware/include/tickertape/events.h").read_text(encoding="utf-8")
    assert "    case 0u:\n        return TT_ROUTE_CLASS0_OTHER;" in text
    assert "return TT_ROUTE_CLASS16_OTHER + (event_class & 0x1fu) - 16u;" in text
