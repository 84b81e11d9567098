"""A released version is frozen: later versions of the same major may only add."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools.gen.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path

    from tests.tools.gen.changes import Change

pytestmark = pytest.mark.process  # the generator runs a formatter

VERSION = "protocol: {major: 1, minor: 3}"
NEW_EVENT = '      - {name: NEW, number: 9, since: %d, doc: "New.", fields: []}\n'
AT = "\n  - name: IRQSTATE\n"


@pytest.fixture
def released(root: Path) -> Path:
    """Make a checkout that has released its version."""
    assert main(["--root", str(root), "--release"]) == 0
    return root


def test_release_is_made_once(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (released / "protocol/released/1.3.json").is_file()
    assert main(["--root", str(released), "--check"]) == 0
    assert main(["--root", str(released), "--release"]) == 1
    assert "is released already" in capsys.readouterr().err


BREAKS = [
    ("events.yaml", "name: TICK, number: 4", "name: TICK, number: 9", "events 9 4 was"),
    ("events.yaml", "name: TICK, number: 4", "name: TOCK, number: 4", "events 9 4 was"),
    ("events.yaml", "name: prev_tid, type: thread", "name: prev_tid, type: u32", "events 9 0 was"),
    ("events.yaml", "args: {channel: object, value: hex}", "args: {channel: hex}", "events 2 20"),
    ("events.yaml", "name: caller, type", "name: who, type", "wide 2 0 2 was"),
    (
        "events.yaml",
        "wide: &interrupted [{name: tid, type",
        "wide: &interrupted [{name: x, type",
        "wide 3 1 0",
    ),
    (
        "wire.yaml",
        "name: build_id, type: bytes20",
        "name: build_id, type: bytes28",
        "structs hello",
    ),
    ("wire.yaml", "name: first_ordinal", "name: ordinal", "structs buffer_header"),
    ("wire.yaml", "DROP:       {value: 2", "DROP:       {value: 9", "enums policy 2"),
    ("wire.yaml", "name: uncertainty_ns", "name: error_ns", "tape_structs anchor"),
    ("wire.yaml", "END: 3}", "LAST: 3}", "header struct"),
]


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: case[3])
def test_break_of_a_promise_is_refused(
    released: Path,
    change: Change,
    capsys: pytest.CaptureFixture[str],
    case: tuple[str, str, str, str],
) -> None:
    name, old, new, says = case
    change(name, old, new)
    assert main(["--root", str(released), "--check"]) == 2
    errors = capsys.readouterr().err
    assert f"protocol/released/1.3.json: {says}" in errors
    assert "restore it, or raise the" in errors


@pytest.mark.parametrize(("name", "old", "new"), [row[:3] for row in BREAKS])
def test_break_is_free_with_new_major_versions(
    released: Path, change: Change, name: str, old: str, new: str
) -> None:
    change(name, old, new)
    change("wire.yaml", VERSION, "protocol: {major: 2, minor: 3}")
    change("wire.yaml", "tape: {major: 1", "tape: {major: 2")
    assert main(["--root", str(released)]) == 0


def test_addition_needs_a_new_minor_version(
    released: Path, change: Change, capsys: pytest.CaptureFixture[str]
) -> None:
    change("events.yaml", AT, NEW_EVENT % 1 + AT)
    assert main(["--root", str(released)]) == 2
    assert "SCHED NEW is not part of it but has since: 1; write since: 4" in capsys.readouterr().err


def test_a_wide_form_may_grow_at_its_end(released: Path, change: Change) -> None:
    more = "{name: level, type: u32, doc: how deep interrupts nest}"
    change(
        "events.yaml",
        'doc: "the interrupted thread"}]',
        f'doc: "the interrupted thread"}}, {more}]',
    )
    change("wire.yaml", VERSION, "protocol: {major: 1, minor: 4}")
    assert main(["--root", str(released)]) == 0


def test_addition_under_a_new_minor_version_is_welcome(released: Path, change: Change) -> None:
    change("events.yaml", AT, NEW_EVENT % 4 + AT)
    change("wire.yaml", VERSION, "protocol: {major: 1, minor: 4}")
    assert main(["--root", str(released)]) == 0
    assert main(["--root", str(released), "--release"]) == 0
    assert (released / "protocol/released/1.4.json").is_file()
