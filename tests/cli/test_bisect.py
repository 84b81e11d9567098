"""`tickertape bisect` in a real git repository; each run copies a tape chosen by the commit."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.columns import Row
from tests.support.command import COMMAND, Done
from tests.support.golden import INVERSION
from tests.support.patience import HANG_S
from tests.support.row_tapes import row_tape
from tickertape.analysis.balance import balance_of
from tickertape.cli.bisect_runs import Sequential
from tickertape.cli.main import main
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Bisect = Callable[..., Done]

pytestmark = pytest.mark.process

SPEC = "requirements:\n- response: high\n  max: 3.4 us\n"
# `flaky` fails in one of five runs, regardless of the first run; `edits` changes its checkout.
RUN = """
state=$(cat state)
echo x >> "$HERE/runs"
case $state in
flaky) [ $(($(wc -l < "$HERE/runs") % 5)) -eq 0 ] && state=bad || state=good ;;
edits) echo changed > state; state=good ;;
waits) touch "$HERE/waits"; exec sleep 300 ;;
esac
[ "$state" = none ] || cp "$HERE/$state.tape" "$1"
"""


def git(folder: Path, *words: str) -> str:
    named = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *named, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty repository beside tapes, a specification and the script that runs."""
    slower = [Row(r.time + 10 * (r.time > 50), r.kind, r.data, r.payload) for r in INVERSION]
    for name, rows in (("good", INVERSION), ("bad", slower)):
        with TapeReader(row_tape(tmp_path / f"{name}.tape", rows)) as reader:
            total = balance_of(reader).total
        assert total.offered == total.delivered + total.overwritten + total.dropped + total.damaged
    (tmp_path / "spec.yaml").write_text(SPEC)
    (tmp_path / "run.sh").write_text(RUN)
    monkeypatch.setenv("HERE", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "work")
    return folder


def commit(folder: Path, *states: str) -> list[str]:
    """Make one commit per state; return the short hashes."""
    made = []
    for number, state in enumerate(states):
        (folder / "state").write_text(f"{state}\n")
        (folder / "number").write_text(str(number))
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"step {number}")
        made.append(git(folder, "rev-parse", "--short", "HEAD"))
    return made


def words(folder: Path, good: str, *more: str) -> list[str]:
    here = folder.parent
    command = f"sh {here}/run.sh {{tape}}"
    return ["bisect", "--good", good, "--run", command, "--spec", f"{here}/spec.yaml", *more]


@pytest.fixture
def bisect(
    history: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Bisect:
    """Run the command in this process, in the repository."""
    monkeypatch.chdir(history)

    def run(good: str, *more: str) -> Done:
        line = words(history, good, *more)
        capsys.readouterr()
        return Done([*line], main(line), *capsys.readouterr())

    return run


def assert_restored(folder: Path, tip: str) -> None:
    assert git(folder, "symbolic-ref", "--short", "HEAD") == "work"
    assert git(folder, "rev-parse", "--short", "HEAD") == tip
    assert git(folder, "status", "--porcelain") == ""
    assert not (folder / ".git/BISECT_START").exists()


def test_the_first_bad_commit_is_found_among_noise(bisect: Bisect, history: Path) -> None:
    steps = commit(history, "good", "good", "flaky", "edits", "flaky", "bad", "bad", "bad", "bad")
    done = bisect(steps[0])
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == f"good    {steps[0]} step 0: 0 of 5 runs FAIL"
    assert lines[1] == f"bad     {steps[8]} step 8: 5 of 5 runs FAIL"
    assert lines[-2:] == ["the first bad commit is:", f"{steps[5]} step 5"]
    assert f"good    {steps[4]} step 4: " in done.stdout
    assert_restored(history, steps[-1])


def test_commits_without_a_tape_are_skipped(bisect: Bisect, history: Path) -> None:
    steps = commit(history, "good", "good", "none", "none", "bad")
    done = bisect(steps[0], "--quiet")
    assert (done.returncode, done.stderr) == (10, "")
    assert {line.split()[0] for line in done.stdout.splitlines()} == set(steps[2:])
    assert_restored(history, steps[-1])


def test_ends_that_do_not_differ_are_undecided(bisect: Bisect, history: Path) -> None:
    steps = commit(history, "good", "good")
    done = bisect(steps[0])
    assert (done.returncode, done.stderr) == (10, "")
    assert done.stdout == "undecided: 0 of 40 runs of good FAIL, 0 of 40 runs of bad\n"
    assert_restored(history, steps[-1])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_restores_the_checkout(history: Path, number: int) -> None:
    steps = commit(history, "good", "waits", "bad")
    command = [str(COMMAND), *words(history, steps[0])]
    with subprocess.Popen(command, cwd=history, stderr=subprocess.PIPE, text=True) as process:
        try:
            until = time.monotonic() + HANG_S
            while not (history.parent / "waits").exists():
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.05)
            process.send_signal(number)
            assert "interrupted" in process.communicate(timeout=HANG_S)[1]
        finally:
            process.kill()
    assert process.returncode == 130
    assert_restored(history, steps[-1])


def test_what_cannot_be_bisected_is_refused(bisect: Bisect, history: Path) -> None:
    steps = commit(history, "good", "none", "bad")
    for more, complaint in (
        (["--run", "make"], "--run has no {tape}"),
        (["--bad", "nothing"], "there is no commit 'nothing' here"),
        (["--bad", steps[0]], "is not before"),
        (["--confidence", "0.5"], "is not above 0.5 and below 1"),
        (["--bad", steps[1]], "step 1 left no tape that can be read"),
    ):
        done = bisect(steps[0], *more)
        assert done.returncode == 2, done.stdout
        assert complaint in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert_restored(history, steps[-1])
    (history / "state").write_text("mine\n")
    done = bisect(steps[0])
    assert "files of this checkout have changes" in done.stderr
    assert (history / "state").read_text() == "mine\n"


def test_the_sequential_test_errs_as_rarely_as_promised() -> None:
    """The probability of a wrong answer, summed exactly over all histories of runs."""
    test = Sequential.of((1, 9), (7, 3), 0.05)
    for chance, wrong in ((test.good, True), (test.bad, False)):
        error, open_ = 0.0, {0.0: 1.0}
        for _ in range(300):
            following: dict[float, float] = {}
            for evidence, weight in open_.items():
                for fails, part in ((True, chance), (False, 1 - chance)):
                    one = Sequential(test.good, test.bad, test.limit, evidence)
                    decided = one.take(fails=fails)
                    if decided is None:
                        key = round(one.evidence, 9)
                        following[key] = following.get(key, 0.0) + weight * part
                    elif decided is wrong:
                        error += weight * part
            open_ = following
        assert sum(open_.values()) < 1e-6
        assert 0 < error <= 0.05
