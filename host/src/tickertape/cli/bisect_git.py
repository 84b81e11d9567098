"""Git commands of `tickertape bisect`: check commits out by git bisect, restore the checkout."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from tickertape.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FIRST = re.compile(r"^([0-9a-f]{40,}) is the first '?bad'? commit", re.MULTILINE)
_COMMIT = re.compile(r"^[0-9a-f]{40,}$", re.MULTILINE)
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SKIPPED = 2  # the exit code of git bisect when only skipped commits are left


def git(*words: str) -> str:
    """Run git in the current folder and return its output.

    Raises:
        UsageError: git is not installed, or the command fails.
    """
    done = _git(words)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise UsageError(f"git {words[0]} failed: {lines[0]}", "check --good and --bad")
    return done.stdout.strip()


def _git(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", *words],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            stdin=subprocess.DEVNULL,
            env=os.environ | {"LC_ALL": "C"},
        )
    except OSError as error:
        raise UsageError(f"git cannot be started: {error.strerror}", "install git") from error


def commit_of(name: str) -> str:
    """Return the hash of a commit.

    Raises:
        UsageError: no commit has this name.
    """
    done = _git(["rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"])
    if done.returncode:
        raise UsageError(f"there is no commit {name!r} here", "give a branch, tag or hash")
    return done.stdout.strip()


def is_ancestor(commit: str, later: str) -> bool:
    """Return whether a commit is an ancestor of `later`; a commit is not its own ancestor."""
    return commit != later and not _git(["merge-base", "--is-ancestor", commit, later]).returncode


def described(commit: str) -> str:
    """Return the short hash and the subject of a commit."""
    return git("show", "--no-patch", "--format=%h %s", commit)


def check_out(commit: str) -> None:
    """Check a commit out; discard changes of a run to tracked files."""
    git("checkout", "--quiet", "--force", "--detach", commit)


def mark(word: str, *commits: str) -> tuple[str, ...]:
    """Run `git bisect` with `start`, `good`, `bad` or `skip`; it checks the next commit out.

    Returns:
        The first bad commit once it is known; several candidates if skipped commits hide it;
        else none.

    Raises:
        UsageError: git bisect fails.
    """
    git("reset", "--quiet", "--hard")
    done = _git(["bisect", word, *commits])
    found = _FIRST.search(done.stdout)
    if found is not None:
        return (found[1],)
    if done.returncode == _SKIPPED:
        return tuple(_COMMIT.findall(done.stdout))
    if done.returncode:
        raise UsageError(f"git bisect failed: {done.stderr.strip()}", "see git bisect --help")
    return ()


@contextmanager
def restored() -> Iterator[None]:
    """Restore branch and files at the end, also after an error, SIGINT, SIGTERM or SIGHUP.

    Raises:
        UsageError: this is not a checkout, tracked files have changes, or a bisection is under way.
    """
    folder = Path(git("rev-parse", "--absolute-git-dir"))
    if (folder / "BISECT_START").exists():
        raise UsageError("a bisection is under way here", "end it with: git bisect reset")
    if git("status", "--porcelain", "--untracked-files=no"):
        raise UsageError("files of this checkout have changes", "commit or stash them")
    branch = _git(["symbolic-ref", "--quiet", "--short", "HEAD"]).stdout.strip()
    where = [branch] if branch else ["--detach", commit_of("HEAD")]
    earlier = {one: signal.getsignal(one) for one in _SIGNALS}
    try:
        for one, handler in earlier.items():
            if handler is not signal.SIG_IGN or one is not signal.SIGHUP:  # keep nohup
                signal.signal(one, _interrupt)
        yield
    finally:
        for one in earlier:
            signal.signal(one, signal.SIG_IGN)  # no signal interrupts the restore
        git("reset", "--quiet", "--hard")
        if (folder / "BISECT_START").exists():
            git("bisect", "reset", "HEAD")
        git("checkout", "--quiet", "--force", *where)
        for one, handler in earlier.items():
            signal.signal(one, handler)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt
