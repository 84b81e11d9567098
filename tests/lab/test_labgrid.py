"""The driver and the strategy for labgrid, in a lab of processes."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.support.laboratory import Lab, laboratory
from tickertape.api.tape import Tape
from tickertape.targets import find_target

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with laboratory(tmp_path_factory.mktemp("lab")) as made:
        yield made


def test_two_boards_of_other_hosts_are_recorded_and_judged(lab: Lab) -> None:
    facts = lab.session("verdicts")
    assert set(facts) == {"one", "two"}
    assert [facts[name]["link"] for name in ("one", "two")] == ["socket", "rfc2217"]
    for one in facts.values():
        assert one["offered"] == one["delivered"] > 1000, one
        assert one["final"]
        assert one["verdicts"] == ["PASS", "FAIL"]
        with Tape(one["path"]) as tape:
            assert len(tape) == one["events"]
            assert tape.meta["board"] == one["board"]


def test_a_fault_of_a_board_is_one_line_that_names_it(lab: Lab) -> None:
    wrong = find_target("native").build("messages").path
    facts = lab.session("faults", lab.images["one"], wrong)
    silent, unplugged, garbage = facts["silent"], facts["unplugged"], facts["garbage"]
    assert silent.startswith("LinkSilent: one sent nothing in 0.3 s; check power, cable and image")
    assert unplugged.startswith("LinkLost: the link of one ended after")
    assert garbage.startswith("LinkError: one sent 5100 bytes in ")
    assert " and no frame; check baud rate and image; see: tickertape doctor socket:" in garbage
    assert "the traced firmware was build" in facts["wrong"]
    assert facts["wrong"].startswith("FirmwareError: ")
    assert facts["looping"].startswith("TargetError: one was reset ")
    assert facts["looping"].endswith("; find out why, or allow it: max_resets: 1")
    assert facts["twice"] == "UsageError: one is being recorded; call stop() first"
    assert facts["none"] == "UsageError: one was not recorded; call capture() first"
    # Tapes of failed recordings are kept.
    assert len(list((lab.folder / "tapes").glob("one*.tape"))) == 6
    # Commands reach a board during its recording.
    assert facts["texts"] == ["door opened"]
    assert facts["refused"].startswith("TargetError: tickertape: ")
    assert facts["holds"]


def test_a_board_belongs_to_one_client(lab: Lab) -> None:
    done = lab.client("-p", "one", "acquire")
    assert done.returncode
    assert "already acquired" in done.stdout + done.stderr


def test_an_exporter_that_goes_ends_the_recording(lab: Lab) -> None:
    with lab.running("exporter_dies", "lab.yaml") as started:
        assert started.stdout is not None
        assert "recording" in json.loads(started.stdout.readline())
        os.killpg(lab.exporters["two"].pid, signal.SIGKILL)
        facts = lab.facts(started, "exporter_dies")
    assert facts["lost"].startswith("LinkLost: the link of two ended after ")
    assert facts["lost"].endswith("check cable, power and exporter, then record again")
