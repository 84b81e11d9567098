"""The fuzzer runs, counts inputs, and finds deliberate faults."""

from __future__ import annotations

import zlib
from random import Random
from typing import TYPE_CHECKING

import pytest

from tickertape.decode.bodies import BadBodyError
from tools.fuzz import guided, guided_checks, targets
from tools.fuzz.__main__ import Outcome, run_target, table
from tools.fuzz.mutate import mutated
from tools.fuzz.rules import Broken, Target
from tools.fuzz.targets import TARGETS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_takes_damaged_input(tmp_path: Path, name: str) -> None:
    target = TARGETS[name][0](tmp_path)
    assert sum(target.feed(Random(seed)) for seed in range(3)) >= 3


def test_mutations_change_something_and_repeat() -> None:
    data = bytes(range(100))
    one = [mutated(data, [data], Random(seed)) for seed in range(300)]
    assert one == [mutated(data, [data], Random(seed)) for seed in range(300)]
    assert sum(result != data for result in one) > 290
    assert mutated(b"", [b"x"], Random(1)) is not None


def feed_for(target: Target, batches: int) -> None:
    for seed in range(batches):
        target.feed(Random(seed))


def test_a_decoder_without_crc_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fuzzer finds that a decoder that accepts any CRC delivers frames that were never sent."""
    target = targets.Frames(tmp_path)
    monkeypatch.setattr("tickertape.decode.frames.zlib.crc32", _believe)
    with pytest.raises(Broken, match="never sent"):
        feed_for(target, 20)


def _believe(data: bytes) -> int:
    """Return a CRC that equals every other value."""
    del data
    return _Anything()


class _Anything(int):
    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = int.__hash__


def test_a_tape_reader_without_crc_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = targets.Tape(tmp_path)
    for module in ("reader", "pieces_read"):
        monkeypatch.setattr(f"tickertape.tape.{module}.crc32", lambda _: _Anything())
    monkeypatch.setattr("tickertape.tape.pieces_read.compiled_crc", lambda: None)
    with pytest.raises(Broken, match="never sent"):
        feed_for(target, 300)


def test_an_exception_is_a_failure_with_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_frame: object) -> None:
        raise IndexError("of a decoder")

    monkeypatch.setattr("tools.fuzz.targets.parse_body", crash)
    outcome = run_target("bodies", 7, 5.0)
    assert "--target 'bodies' --seed 7" in outcome.failure
    assert "IndexError" in outcome.failure


def test_a_hang_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(_frame: object) -> None:
        while True:
            zlib.crc32(b"")

    monkeypatch.setattr("tools.fuzz.targets.parse_body", hang)
    monkeypatch.setattr("tools.fuzz.__main__.HANG_S", 1)
    assert "takes longer than 1 s" in run_target("bodies", 7, 5.0).failure


def test_refused_bodies_are_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_frame: object) -> None:
        raise BadBodyError("as it may")

    monkeypatch.setattr("tools.fuzz.targets.parse_body", refuse)
    outcome = run_target("bodies", 7, 0.2)
    assert outcome.failure == ""
    assert outcome.inputs > 0


def test_the_table_sums_up() -> None:
    text = table([Outcome("frames", 10, 1.0, 5), Outcome("frames", 20, 1.0, 3)])
    assert text.splitlines()[1].split() == ["frames", "30", "15", "5"]
    assert text.splitlines()[-1].split() == ["total", "30"]


@pytest.mark.timeout(600)
def test_guided_fuzzing_runs_and_counts() -> None:
    pytest.importorskip("atheris", reason="there is no build of atheris for this Python")
    inputs, failure = guided.run("boards", 1)
    assert failure == ""
    assert inputs > 0


@pytest.mark.parametrize("name", guided.NAMES)
def test_what_guided_fuzzing_begins_with_holds(tmp_path: Path, name: str) -> None:
    check, seeds = guided.check_of(name, tmp_path)
    for seed in seeds:
        check(seed)
        check(seed[:-3])
    check(b"")


def test_guided_checks_find_what_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check, seeds = guided.check_of("boards", tmp_path)
    monkeypatch.setattr(guided_checks, "build_board", lambda _: bytes(60))
    with pytest.raises(Broken):
        check(seeds[0])
