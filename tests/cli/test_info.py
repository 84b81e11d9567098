"""`info` of tapes with many boots, and renamed options."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Command, assert_complaint
from tests.support.target import SimulatedTarget
from tickertape.analysis.boots import End
from tickertape.analysis.stored import add_summary, stored_summary
from tickertape.analysis.summary import summary_of
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BOOTS = 600
RING = (0, 0)
SWITCH = (9, 0)


def boot(target: SimulatedTarget, turns: int) -> None:
    """Record two threads that take turns of 600 and 400 ticks of 40 ns, and send all buffers."""
    target.hello()
    target.name(1, 1, "producer")
    target.name(1, 2, "consumer")
    for _ in range(turns):
        target.record(RING, *SWITCH, 2, 1)
        target.advance(600)
        target.record(RING, *SWITCH, 1, 2)
        target.advance(400)
    target.flush(RING)
    target.send_buffer(RING)


def rebooting(boots: int, *, finish: bool) -> bytes:
    target = SimulatedTarget(dictionary=DICTIONARY_HASH, boot_id=1)
    for number in range(boots):
        if number:
            target.reset(boot_id=number + 1)
        boot(target, 5)
    if finish:
        target.finish()
    return target.sent_bytes()


@pytest.fixture
def many(make_tape: Callable[[bytes], Path]) -> Path:
    return make_tape(rebooting(BOOTS, finish=True))


def test_damage_of_a_chunk_is_reported_with_exit_code_10(
    many: Path, tickertape_inside: Command
) -> None:
    """Damage after the summary was stored is found without --verify."""
    add_summary(many)
    whole = json.loads(tickertape_inside("info", many, "--json").stdout)
    assert whole["verified"] is False
    data = bytearray(many.read_bytes())
    with TapeReader(many) as reader:
        row = reader.record_rows(reader.rings[7])[0]
        offset = int(reader.chunks["offset"][row])
    data[offset + 90] ^= 1
    many.write_bytes(data)
    for words in ([], ["--verify"]):
        done = tickertape_inside("info", many, "--json", *words)
        found = json.loads(done.stdout)
        assert done.returncode == 10
        assert any("CRC is wrong" in issue for issue in found["issues"])
        assert found["events"] < whole["events"]


def test_boots_of_one_build_are_summed_by_name(many: Path, tickertape_inside: Command) -> None:
    done = tickertape_inside("info", many)
    assert done.returncode == 0, done.stderr
    assert "600 of one build; ended 1 by the target, 599 by a reset" in done.stdout
    assert len(done.stdout.splitlines()) < 50
    (line,) = (line.split() for line in done.stdout.splitlines() if line.startswith("producer"))
    assert line[:3] == ["producer", "600", f"{BOOTS * 5 * 600 * 40 / 1e9:.6f}"]
    (rest,) = (line for line in done.stdout.splitlines() if line.lstrip().startswith("588 more"))
    assert "5 880" in rest


def test_json_keeps_every_boot_and_thread(many: Path, tickertape_inside: Command) -> None:
    found = json.loads(tickertape_inside("info", many, "--json").stdout)
    total = found["balance"]
    assert total["offered"] == total["delivered"] == BOOTS * 10
    assert len(found["tasks"]) == 2 * BOOTS
    boots = found["boots"]
    assert [one["epoch"] for one in boots] == list(range(BOOTS))
    assert sum(one["events"] for one in boots) == found["events"]
    assert sum(one["duration_ns"] for one in boots) == found["duration_ns"]
    assert {one["ended"] for one in boots[:-1]} == {"reset"}
    assert boots[-1]["ended"] == "stopped"
    for one in boots:  # a captured tape has anchors, so UTC is known
        assert one["end_utc_ns"] - one["begin_utc_ns"] == one["duration_ns"]


def test_one_boot_has_its_own_figures_and_balance(many: Path, tickertape_inside: Command) -> None:
    found = json.loads(tickertape_inside("info", many, "--json", "--boot", "17").stdout)
    assert (found["epochs"], found["events"], found["verified"]) == (1, 10, False)
    assert found["balance"]["offered"] == found["balance"]["delivered"] == 10
    assert {(one["name"], one["epoch"]) for one in found["tasks"]} == {
        ("producer", 17),
        ("consumer", 17),
    }
    shown = tickertape_inside("info", many, "--boot", "17")
    assert "boot 17 only" in shown.stdout
    assert shown.stdout.count("reset") == 1
    checked = tickertape_inside("info", many, "--json", "--boot", "17", "--verify")
    assert json.loads(checked.stdout)["verified"] is True
    missing = tickertape_inside("info", many, "--boot", "600")
    assert_complaint(missing, 2, "no boot 600", "boots 0 to 599")


@pytest.mark.parametrize(("cut", "end"), [(False, End.CAPTURE), (True, End.UNKNOWN)])
def test_the_last_boot_ends_with_the_capture_or_unknown(
    make_tape: Callable[[bytes], Path], *, cut: bool, end: End
) -> None:
    path = make_tape(rebooting(3, finish=False))
    if cut:
        path.write_bytes(path.read_bytes()[:-100])
    with TapeReader(path) as reader:
        assert reader.closed is not cut
        found = summary_of(reader)
    assert [one.ended for one in found.boots] == [End.RESET, End.RESET, end]
    assert found.balance.total.holds


def test_boots_come_from_the_stored_summary(many: Path) -> None:
    assert add_summary(many)
    with TapeReader(many) as reader:
        stored = stored_summary(reader)
        assert stored is not None
        assert stored.boots == summary_of(reader).boots


def test_the_former_name_of_an_option_works_and_warns(
    many: Path, tmp_path: Path, tickertape_inside: Command
) -> None:
    words = ("export", "kev", many, "-o")
    new = tickertape_inside(*words, "new.kev", "--boot", "3")
    old = tickertape_inside(*words, "old.kev", "--epoch", "3")
    assert (new.returncode, new.stderr) == (0, "")
    assert old.returncode == 0
    assert old.stderr.splitlines() == [
        "tickertape: --epoch is now --boot; the next release does not know --epoch"
    ]
    assert (tmp_path / "new.kev").read_bytes() == (tmp_path / "old.kev").read_bytes()
