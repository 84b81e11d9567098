"""The pytest plugin in a separate pytest run, on a real native target."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tickertape
from tests.support.patience import HANG_S

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.process

# Records the modules of tickertape that the plugin's entry point loads, and hides Renode.
CONFTEST = """
import shutil, sys
from importlib import import_module

LOADED = sorted(name for name in sys.modules if name.startswith("tickertape"))
which = shutil.which
shutil.which = lambda name, **rest: None if name == "renode" else which(name, **rest)
"""

SPECS = {
    "met": "requirements:\n- no_losses: true\n",
    "missed": "requirements:\n- response: control\n  max: 1 us\n  name: control is fast\n",
    "unknown": "requirements:\n- order: [USER.990, USER.991]\n  within: 1 ms\n  name: never seen\n",
}

TESTS = """
import pytest
from conftest import LOADED

target, timing = pytest.mark.target, pytest.mark.timing
native = target("native", duration_s=0.05)


def test_import():
    assert LOADED == ["tickertape", "tickertape.pytest_plugin", "tickertape.version"]

@target("native", "renode", "qemu:none", example="messages")
@timing("met.yaml")
def test_targets(tape):
    assert tape.balance.total.holds

@native
@timing("missed.yaml")
def test_missed(tape):
    assert len(tape)

@native
@timing("unknown.yaml")
def test_unknown(tape):
    pass

@native
@timing("unknown.yaml", unknown="pass")
def test_accepted(tape):
    pass

@native
@timing("unknown.yaml", unknown="skip")
def test_skipped(tape):
    pass

@native
@timing("met.yaml")
def test_asserts(tape):
    tape.close()
    assert tape is None

@timing("met.yaml")
def test_no_tape():
    pass

def test_two(tape_target):
    one, two = (tape_target.run(duration_s=0.05) for _ in range(2))
    assert (one.path.name, two.path.name) == ("first_tape.tape", "first_tape-2.tape")
    assert [e.words for e in one.events()] == [e.words for e in two.events()]
    assert tape_target.name == "native"

def test_no_example(tape_target):
    tape_target.run("mesages")

def test_late(tape_target):
    tape_target.run(duration_s=1e5, timeout_s=0.2)

def test_image(tape_target):
    image = tape_target.run(duration_s=0.05).meta["elf"]
    assert len(tape_target.run(image=image, duration_s=0.05)) > 0
"""


OUTCOMES = {
    "test_import": "PASSED",
    "test_targets[native]": "PASSED",
    "test_targets[qemu:none]": "ERROR",
    "test_missed[native]": "FAILED",
    "test_unknown[native]": "FAILED",
    "test_accepted[native]": "PASSED",
    "test_asserts[native]": "FAILED",
    "test_no_tape": "FAILED",
    "test_two[native]": "PASSED",
    "test_no_example[native]": "FAILED",
    "test_late[native]": "FAILED",
    "test_image[native]": "PASSED",
}
WITH_TAPE = ("test_missed", "test_unknown", "test_asserts", "test_late")
REASONS = [
    "renode needs renode: install Renode*",
    "UNKNOWN  never seen: After each USER.990 there is USER.991 within 1 ms.",
    "no target is called 'qemu:none'; did you mean qemu?",
    "FAIL  control is fast: Each instance of control ends within 1 us of its activation.",
    "* ready while motor runs",
    "timing: the test recorded no tape; use the fixture tape",
    "there is no example 'mesages'; did you mean messages?",
    "first_tape did not end within 0.2 s",
]


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest(CONFTEST)
    for name, text in SPECS.items():
        pytester.path.joinpath(f"{name}.yaml").write_text(text)
    pytester.makepyfile(test_suite=TESTS)
    return pytester


def test_what_each_test_of_a_suite_does(suite: pytest.Pytester) -> None:
    done = suite.runpytest_subprocess("-rA", "--strict-markers", timeout=HANG_S)
    found = re.findall(r"^([A-Z]+) test_suite.py::(\S+)", "\n".join(done.outlines), re.MULTILINE)
    assert {name: outcome for outcome, name in found} == OUTCOMES
    assert done.parseoutcomes() == {"passed": 5, "failed": 6, "errors": 1, "skipped": 2}
    for reason in REASONS:
        done.stdout.fnmatch_lines([f"*{reason}*"])
    check_sections(done.outlines)


def check_sections(lines: list[str]) -> None:
    """Check that each failure has a section for its tape, and that the tape exists and opens."""
    heads = [at for at, line in enumerate(lines) if line.strip(" -") == "tickertape: native"]
    names = [name for name in OUTCOMES if name.startswith(WITH_TAPE)]
    for at, name in zip(heads, names, strict=True):
        tape = Path(lines[at + 1])
        assert tape.parent.name.startswith(name.partition("[")[0])
        with tickertape.open(tape) as opened:
            total = opened.balance.total
            assert lines[at + 2].startswith(f"{len(opened)} events in ")
        assert total.offered == total.delivered + total.overwritten + total.dropped + total.damaged
        assert lines[at + 3] == (
            f"records: {total.offered} offered, {total.delivered} delivered, {total.overwritten} "
            f"overwritten, {total.dropped} dropped, {total.damaged} damaged"
        )
        assert "motor" in lines[at + 4]


def test_the_option_chooses_targets_for_tests_without_a_marker(suite: pytest.Pytester) -> None:
    words = ("--tape-target", "renode", "--tape-target", "renode:mps2-an386", "-k", "two or import")
    done = suite.runpytest_subprocess(*words, timeout=HANG_S)
    assert done.parseoutcomes() == {"passed": 1, "skipped": 2, "deselected": 15}
