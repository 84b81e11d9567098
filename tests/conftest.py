"""Shared fixtures: the command as a process, and tapes."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.command import COMMAND, Command, Done
from tests.support.patience import HANG_S
from tests.support.programs import use_object_cache
from tests.support.target import target_with_events
from tickertape.cli.main import main
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

use_object_cache()

# No time limit per example: a busy machine may need long. Examples of a test share its folder and
# rewrite their files. Profiles: `quick` is for `make quick`, `ci` for `.ci/run`: each run has the
# same examples, so that a result depends on the change only. `explore` draws new examples; a defect
# that it finds becomes a test with that example. More examples would make `.ci/run` longer than its
# 45 minutes.
_SAME_EXAMPLES: dict[str, Any] = {"derandomize": True}
_NEW_EXAMPLES: dict[str, Any] = {"derandomize": False, "print_blob": True}
for _name, _examples, _more in (
    ("quick", 20, _SAME_EXAMPLES),
    ("default", 100, {}),
    ("ci", 100, _SAME_EXAMPLES),
    ("explore", 1000, _NEW_EXAMPLES),
):
    settings.register_profile(
        _name,
        settings.default,
        deadline=None,
        max_examples=_examples,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
        **_more,
    )
settings.load_profile("default")

# A test that uses one of these fixtures gets the marker `process`; so does a test whose module
# imports one of these names, itself or through tests and tools. `make quick` leaves them out.
_PROCESS_FIXTURES = {"tickertape", "compiled", "sanitized", "sanitized_library"}
_PROCESS_NAMES = {"subprocess", "NativeTarget", "QemuTarget", "RenodeTarget", "find_target"}


def _modules_of(module: ModuleType) -> Iterator[ModuleType]:
    """Yield a module, and the modules of tests and tools that its names are imported from."""
    yield module
    for value in list(vars(module).values()):
        home = value if isinstance(value, ModuleType) else sys.modules.get(_home_of(value))
        if home is not None and home.__name__.startswith(("tests.", "tools.")):
            yield home


def _home_of(value: object) -> str:
    return str(getattr(value, "__module__", ""))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Add the marker `process` to tests that start a process, compiler or emulator."""
    starts: dict[ModuleType, bool] = {}
    for item in items:
        assert isinstance(item, pytest.Function)
        if item.module not in starts:
            homes = _modules_of(item.module)
            starts[item.module] = any(_PROCESS_NAMES.intersection(vars(one)) for one in homes)
        if starts[item.module] or _PROCESS_FIXTURES.intersection(item.fixturenames):
            item.add_marker("process")


@pytest.fixture(autouse=True)
def _only_marked_tests_start_processes(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fail a test that starts a process without the marker `process`: `make quick` would run it."""
    if request.node.get_closest_marker("process") is None:

        def refuse(*_arguments: object, **_options: object) -> None:
            pytest.fail("this test starts a process: mark it with pytest.mark.process")

        monkeypatch.setattr(subprocess.Popen, "__init__", refuse)


@pytest.fixture
def tickertape(tmp_path: Path) -> Command:
    """Run the command as a process in an empty folder, with text output and empty input."""

    def run(*words: str | Path, **options: object) -> Done:
        settings: dict[str, object] = {
            "cwd": tmp_path,
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
            "check": False,
            "timeout": HANG_S,
            **options,
        }
        done: Done = subprocess.run([COMMAND, *words], **settings)  # type: ignore[call-overload] # noqa: PLW1510 - all is in `settings`
        return done

    return run


@pytest.fixture
def tickertape_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Command:
    """Run the command in this process, in an empty folder.

    For tests of input, output and exit code of a command. Tests of locales, signals, pipes and
    imports need `tickertape`.
    """

    def run(*words: str | Path) -> Done:
        monkeypatch.chdir(tmp_path)
        capfd.readouterr()
        code = main(list(map(str, words)))
        out, err = capfd.readouterr()
        return Done([COMMAND, *words], code, out, err)

    return run


@pytest.fixture
def make_tape(tmp_path: Path) -> Callable[[bytes, str], Path]:
    """Return a function that captures bytes of a link to a tape and returns its path."""

    def make(data: bytes, name: str = "some.tape") -> Path:
        path = tmp_path / name
        capture(MemoryLink([data]), path, CaptureOptions(handle_signals=False))
        return path

    return make


@pytest.fixture
def tape(make_tape: Callable[[bytes], Path]) -> Path:
    """Return a complete tape without losses: a name, and the events of the simulated threads."""
    target = target_with_events()
    target.finish()
    return make_tape(target.sent_bytes())
