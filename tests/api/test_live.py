"""Capture, control and run from a program: as the commands, with TickertapeErrors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tickertape
from tests.support.control_target import Target, reply
from tests.support.target import target_with_events
from tickertape.errors import FirmwareError, LinkMissing, UsageError
from tickertape.protocol.wire import Command
from tickertape.targets.firmware import examples, options_of, project_root

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tickertape.decode.commands import Request


def test_a_capture_keeps_the_balance_of_what_a_link_brings(tmp_path: Path) -> None:
    target = target_with_events()
    target.finish()
    source = tmp_path / "line.bin"
    source.write_bytes(b"".join(one.data for one in target.frames if one.number not in {5, 6}))
    seen: list[int] = []
    path = tmp_path / "T.tape"
    result = tickertape.capture(
        str(source), path, on_progress=lambda progress: seen.append(progress.events)
    )
    assert (result.reason, result.tapes) == (tickertape.StopReason.END, (path,))
    with tickertape.open(path) as tape:
        total = tape.balance.total
        assert total.offered == total.delivered + total.overwritten + total.dropped + total.damaged
        assert (total.damaged, total) == (8, result.progress.balance)
        assert len(tape) == result.progress.events == seen[-1] > 0
        assert tape.meta["link"] == str(source)


def test_a_capture_refuses_what_makes_no_sense_and_touches_nothing(tmp_path: Path) -> None:
    source = tmp_path / "line.bin"
    source.write_bytes(b"bytes")
    with pytest.raises(UsageError, match="is the file to be read"):
        tickertape.capture(str(source), tmp_path / "." / "line.bin")
    assert source.read_bytes() == b"bytes"
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="duration_s cannot be"):
            tickertape.capture(str(source), tmp_path / "T.tape", duration_s=wrong)
    with pytest.raises(LinkMissing):
        tickertape.capture(str(tmp_path / "none"), tmp_path / "T.tape")
    assert list(tmp_path.iterdir()) == [source]


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Target:
    """Return a target that executes each command; every address leads to it."""
    made = Target(reply)
    monkeypatch.setattr("tickertape.api.live.open_link", lambda *_words, **_options: made)
    return made


def commands(board: Target) -> list[Request]:
    return [request for _, request in board.requests]


def test_a_connection_selects_classes_and_events_by_name(board: Target) -> None:
    with tickertape.connect("socket://localhost:4000", stream=2) as target:
        target.start()
        target.select("INT", "user.77")
        target.deselect("MUTEX_INHERIT")
    sent = commands(board)
    assert [one.stream for one in sent] == [2] * 4
    assert sent[0].command == Command.START
    assert (sent[1].command, sent[1].args[0]) == (Command.ADD_CLASS, 3)
    assert (sent[2].command, sent[2].args[:2]) == (Command.ADD_EVENT, (6, 77))
    assert sent[3].command == Command.DEL_EVENT
    assert board.at_end


def test_an_unknown_name_sends_nothing(board: Target) -> None:
    with tickertape.connect("socket://localhost:4000") as target:
        with pytest.raises(UsageError, match="did you mean"):
            target.select("INT", "MUTEX_LOCKED")
        assert commands(board) == []


@pytest.mark.process
def test_a_run_gives_a_tape_whose_laws_hold(tmp_path: Path) -> None:
    path = tmp_path / "T.tape"
    result = tickertape.run(path, duration_s=0.1, options={"duration_ms": 100}, symbols=True)
    assert (result.reason, result.problems) == (tickertape.StopReason.END, ())
    with tickertape.open(path) as tape:
        total = tape.balance.total
        assert total.offered == total.delivered > 0
        assert {one.verdict.name for one in tape.laws().values()} == {"HOLDS"}
        assert (tape.meta["target"], tape.meta["example"]) == ("native", "first_tape")


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ({"options": {"duration": 1}}, UsageError, r"no option duration; did you mean duration_ms"),
        ({"target": "natve"}, UsageError, r"no target is called 'natve'; did you mean native"),
        ({"example": "first_tap"}, FirmwareError, r"no example 'first_tap'; did you mean first_t"),
        ({"duration_s": 0.0}, UsageError, r"duration_s cannot be 0\.0"),
    ],
)
def test_a_run_names_the_nearest_choice(
    tmp_path: Path, words: dict[str, object], error: type[Exception], message: str
) -> None:
    run: Callable[..., object] = tickertape.run
    with pytest.raises(error, match=message):
        run(tmp_path / "T.tape", **words)
    assert list(tmp_path.iterdir()) == []


def test_each_example_has_the_options_of_its_sources() -> None:
    sources = project_root() / "firmware/examples"
    found = {example: options_of(sources, example) for example in examples(project_root())}
    assert "fault" in found["starvation"]
    assert "link_bytes_per_ms" in found["storm"]
    assert "link_bytes_per_ms" not in found["first_tape"]
    assert all({"idle_wfi", "udp_port"} <= options for options in found.values())
