"""Tests import no other tests, and assert something."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools.check import tests_stand_alone
from tools.check.process import tracked_files

ROOT = Path(__file__).parents[3]
FILE = Path("tests/model/test_kernel.py")


def test_the_tests_keep_the_rules() -> None:
    files = tracked_files(ROOT, "tests/**/*.py")
    assert FILE in files
    assert tests_stand_alone.check(ROOT, files) == []


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("from tests.support.rings import raw", None),
        ("from tests.support import rings", None),
        ("from tests.model.follow import of", None),
        ("from tests.model.test_system import of", "tests.model.test_system.of of another test"),
        ("from tests.model import test_system", "tests.model.test_system of another test"),
        ("from tests.conftest import tape", "tests.conftest.tape of another test"),
        ("from tests.posix.sides import HERE", "tests.posix.sides.HERE of another folder"),
        ("import tests.posix.sides", "tests.posix.sides of another folder"),
        ("assert x", None),
        ("assert x or y", None),
        ("assert x and True", None),
        ("assert x if y else z", None),
        ("assert True", "asserts True, which cannot fail"),
        ("assert (x, 'message')", "cannot fail"),
        ("assert x or True", "cannot fail"),
        ("assert x if y else True", "cannot fail"),
        ("assert len(x) >= 0", "cannot fail"),
        ("try:\n    f()\nexcept OSError:\n    pass", None),
        ("try:\n    f()\nexcept Exception:\n    g()\n    raise", None),
        ("try:\n    f()\nexcept Exception:\n    pass", "swallows failed"),
        (
            "try:\n    f()\nexcept (OSError, AssertionError):\n    pass",
            "swallows failed assertions",
        ),
        ("try:\n    f()\nexcept:\n    pass", "swallows failed"),
    ],
)
def test_what_is_refused(line: str, complaint: str | None) -> None:
    found = tests_stand_alone.check_text(FILE, f"\n{line}\n")
    assert len(found) == (complaint is not None)
    assert all(one.startswith(f"{FILE}:2: ") and (complaint or "") in one for one in found)


# Reasons to skip that `make test` cannot remove: another processor, user or kernel, a Zephyr tree
# and its tools; and a pytest run inside a test.
MAY_BE_SKIPPED = {
    "'ZEPHYR_MODULES has no hal_nordic, which nrf52840dk_nrf52840 needs'",
    "'FREERTOS_KERNEL names no kernel of V11 or later'",
    "'only the superuser can become another user'",
    "'steps by a flag of that processor'",
    "'the driver steps through x86-64 instructions'",
    "'the superuser may make a socket anywhere'",
    "'there is no build of atheris for this Python'",
    "'this is the inner run'",
    "'this processor has no carry-less multiplication'",
    "str(_missing())",
    "str(_missing_for_arm64())",
    "str(_no_native())",
    "str(missing())",
}


def test_nothing_is_skipped_that_make_test_installs() -> None:
    found = {}
    for file in tracked_files(ROOT, "tests/**/*.py"):
        for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            if called.endswith(("pytest.skip", "mark.skip", "mark.skipif", "importorskip")):
                given = [key.value for key in node.keywords if key.arg == "reason"] or node.args
                found[ast.unparse(given[0])] = f"{file}:{node.lineno}"
    assert found
    assert {reason: where for reason, where in found.items() if reason not in MAY_BE_SKIPPED} == {}
    assert set(found) == MAY_BE_SKIPPED
