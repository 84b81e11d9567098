"""pytest plugin: run a firmware in a test, read its tape, check its timing.

    @pytest.mark.target("native", "qemu", example="first_tape", duration_s=0.5)
    @pytest.mark.timing("timing.yaml")
    def test_motor(tape):
        assert not tape.balance.total.lost

pytest loads this module at the start of every run where tickertape is installed, so it imports
nothing slow: a fixture loads what it needs. docs/pytest.md is the manual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from tickertape.api.tape import Tape
    from tickertape.pytest_plugin.target import TapeTarget

_OPTION = "tape_targets"
_TARGETS = pytest.StashKey["TapeTarget"]()
_TARGET = (
    "target(*names, example=, image=, duration_s=, options=): run the test once on each of these "
    "targets of tickertape; skipped where one is not installed. The keywords are those of "
    "tape_target.run(), for the fixture tape."
)
_TIMING = (
    "timing(spec, unknown='fail'): judge each tape of the test by this specification; FAIL fails "
    "the test, and so does UNKNOWN, unless it is to 'skip' or 'pass'."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --tape-target."""
    parser.getgroup("tickertape").addoption(
        "--tape-target",
        action="append",
        dest=_OPTION,
        metavar="TARGET",
        help="target of tickertape for tests without the marker target (default: native); may be "
        "repeated",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers."""
    for marker in (_TARGET, _TIMING):
        config.addinivalue_line("markers", marker)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Create one test per target."""
    if "tape_target" in metafunc.fixturenames:
        marker = metafunc.definition.get_closest_marker("target")
        chosen = metafunc.config.getoption(_OPTION) or ["native"]
        names = marker.args if marker is not None and marker.args else chosen
        metafunc.parametrize("tape_target", names, indirect=True)


@pytest.fixture
def tape_target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TapeTarget]:
    """A target of tickertape; `tape_target.run("first_tape")` returns the tape of a run."""
    from tickertape.pytest_plugin.target import TapeTarget  # noqa: PLC0415 - see above

    made = TapeTarget.of(request.param, tmp_path, request.config.rootpath)
    request.node.stash[_TARGETS] = made
    yield made
    made.close()


@pytest.fixture
def tape(request: pytest.FixtureRequest, tape_target: TapeTarget) -> Tape:
    """The tape of one run, as the keywords of the marker target describe it."""
    marker = request.node.get_closest_marker("target")
    return tape_target.run(**(marker.kwargs if marker is not None else {}))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Judge the tapes of a test that passed so far, while they are open."""
    result = yield
    for marker in item.iter_markers("timing"):
        from tickertape.pytest_plugin.timing import judge  # noqa: PLC0415 - see above

        made = item.stash.get(_TARGETS, None)
        judge([] if made is None else made.tapes, item.path.parent, *marker.args, **marker.kwargs)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach path and summary of each tape to a failure."""
    report = yield
    made = item.stash.get(_TARGETS, None)
    if report.failed and made is not None:
        report.sections += made.sections()
    return report
