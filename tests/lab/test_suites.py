"""`tickertape hil run` in a lab of processes."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tests.support.laboratory import Lab, laboratory, process
from tests.support.patience import HANG_S
from tickertape.api.tape import Tape
from tickertape.formats.arrow.history import drifts
from tools import lab as environment

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.process

FAULT_S = 4.0  # duration of a recording that a test disturbs


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with laboratory(tmp_path_factory.mktemp("lab")) as made:
        yield made


def hil(lab: Lab, name: str, suite: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a suite to its end."""
    with hil_started(lab, name, suite, *words) as started:
        out, _ = started.communicate(timeout=HANG_S)
    errors = (lab.folder / f"{name}.log").read_text()
    return subprocess.CompletedProcess(name, started.returncode, out, errors)


@contextmanager
def hil_started(lab: Lab, name: str, suite: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    (lab.folder / f"{name}.yaml").write_text(f"lab: lab.yaml\nfolder: {name}\n{suite}")
    # Shells make background programs ignore SIGINT, which one test sends.
    program = ("env", "--default-signal=INT", environment.python_of())
    line = (*program, "-m", "tickertape", "hil", "run", f"{name}.yaml", *words)
    with process(*line, folder=lab.folder, log=name) as started:
        yield started


@contextmanager
def free(lab: Lab, *boards: str) -> Iterator[None]:
    """Release the places that the other tests hold, and acquire them again afterwards."""
    for name in boards:
        assert lab.client("-p", name, "release").returncode == 0
    yield
    for name in boards:
        done = lab.client("-p", name, "acquire")
        assert done.returncode == 0, done  # a suite releases its places


def test_a_suite_runs_on_all_boards(lab: Lab) -> None:
    (lab.folder / "good.yaml").write_text("requirements:\n- no_losses: true\n")
    suite = f"""
boards: [one, two]
images: {{one: [/bin/true, one], two: [two]}}
specs: [good.yaml, spec.yaml]
duration_s: {HANG_S}
until_final: true
retries: 1
history: history
"""
    with free(lab, "one", "two"):
        silent = suite.replace(str(HANG_S), "0.3").replace("[one, two]", "[one]")
        silent = silent.replace(", two: [two]", "")
        first = hil(lab, "first", silent, "--junit", "first.xml")
        sound = suite.replace("/bin/true, ", "")
        done = hil(lab, "second", sound, "--junit", "all.xml", "--html", "all.html")
    assert "ERROR   one: true: one sent nothing in 0." in first.stdout, first
    assert "attempt 1: LinkSilent: one sent nothing in 0." in first.stdout
    assert "one is set aside: its other images are not recorded" in first.stdout
    assert "NOT RUN one: one: one was set aside" in first.stdout
    assert "set aside: one" in first.stdout.splitlines()[-1]
    found = ET.fromstring((lab.folder / "first.xml").read_text())  # noqa: S314 - our own
    assert [one.get("type") for one in found.iter("rerunError")] == ["LinkSilent"]
    assert (done.returncode, done.stderr) == (1, ""), done
    assert done.stdout.splitlines()[-1] == "0 PASS, 2 FAIL, 0 UNKNOWN, 0 ERROR"
    found = ET.fromstring((lab.folder / "all.xml").read_text())  # noqa: S314 - our own
    names = {one.get("name"): one.get("failures") for one in found}
    for name in ("one", "two"):
        suites = (f"{name}.{name}", f"{name}.{name}.good", f"{name}.{name}.spec")
        assert [names[one] for one in suites] == ["0", "0", "1"]
        (path,) = (lab.folder / "second").glob(f"*/{name}/{name}-1/*.tape")
        assert (path.parents[2] / f"{name}-{name}.xml").is_file()
        with Tape(path) as tape:
            total = tape.balance.total
            assert total.offered == total.delivered > 1000
        assert str(path) in (lab.folder / "all.html").read_text()
    assert len(list((lab.folder / "history/figures/board=two").iterdir())) == 1


def test_a_suite_meets_resets_garbage_and_an_unplugged_cable(lab: Lab) -> None:
    shutil.copy2(lab.images["one"], lab.folder / "looping")
    suite = f"""
boards: [one]
images: [looping, {shutil.which("true")}, one, two]
duration_s: {FAULT_S}
"""
    with free(lab, "one"), hil_started(lab, "faults", suite) as started:
        recorded(lab, "faults/*/one/looping-1")
        for _ in range(3):
            time.sleep(FAULT_S / 20)
            lab.tell("one", "reset")
        recorded(lab, "faults/*/one/true-1")
        lab.tell("one", "garbage")
        recorded(lab, "faults/*/one/one-1")
        lab.tell("one", "unplug")
        out, _ = started.communicate(timeout=HANG_S)
    assert started.returncode == 10, out
    loop, garbage, unplugged, aside, second, last = out.splitlines()[:6]
    assert re.match(r"ERROR   one: looping: one was reset [2-5] times in ", loop), out
    assert re.match(r"ERROR   one: true: one sent 5100 bytes in .* and no frame; ", garbage), out
    assert unplugged.startswith("ERROR   one: one: the link of one ended after "), out
    assert aside.strip() == "one is set aside: its other images are not recorded", out
    assert second.startswith("NOT RUN one: two: "), out
    assert last == "0 PASS, 0 FAIL, 0 UNKNOWN, 4 ERROR, set aside: one", out


def recorded(lab: Lab, folder: str) -> None:
    """Wait until a tape exists in the folder, which means that the link of a board is open."""
    deadline = time.monotonic() + HANG_S
    while not list(lab.folder.glob(f"{folder}/*.tape")):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_two_suites_share_a_board(lab: Lab) -> None:
    suite = "boards: [two]\nimages: [two]\nspecs: [good.yaml]\nuntil_final: true\nduration_s: {}\n"
    (lab.folder / "good.yaml").write_text("requirements:\n- no_losses: true\n")
    refused = hil(lab, "refused", suite.format(HANG_S) + "wait_s: 0\n")
    assert refused.returncode == 10
    assert "ERROR   two: two: place two was not free within 0 s: " in refused.stdout
    waiting = suite.format(HANG_S) + f"wait_s: {HANG_S}\nhistory: shared\n"
    with free(lab, "two"), hil_started(lab, "left", waiting) as left:
        right = hil(lab, "right", waiting)
        out, _ = left.communicate(timeout=HANG_S)
    assert (left.returncode, right.returncode) == (0, 0), (out, right)
    assert "PASS    two: two: 1 PASS" in out
    assert "PASS    two: two: 1 PASS" in right.stdout
    found = {one.figure: one for one in drifts(lab.folder / "shared", "two")}
    assert len(found["control: response max"].earlier_ns) == 1


def test_a_suite_outlives_an_exporter(lab: Lab) -> None:
    suite = f"boards: [one, two]\nimages: {{one: [one], two: [two]}}\nduration_s: {HANG_S}\n"
    lab.client("-p", "one", "release")
    lab.client("-p", "two", "release")
    with hil_started(lab, "lost", suite) as started:
        deadline = time.monotonic() + HANG_S
        while len(list((lab.folder / "lost").glob("*/*/*/*.tape"))) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        os.killpg(lab.exporters["two"].pid, signal.SIGKILL)
        assert started.stdout is not None
        line = started.stdout.readline()
        assert line.startswith("ERROR   two: two: the link of two ended after "), line
        assert "two is set aside" in started.stdout.readline()
        started.send_signal(signal.SIGINT)
        assert started.wait(HANG_S) == 130
    assert lab.client("-p", "one", "acquire").returncode == 0  # it was given back
