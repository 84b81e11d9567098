"""Places of labgrid: acquire one exclusively, and release it however this process ends.

While a process has a place, it has a file of this user's cache locked. The kernel takes the lock
away when the process dies; what the file contains is then the sign that the place was left taken.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.errors import LinkBusy, LinkMissing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from labgrid import Environment

_LOOK_S: Final = 0.5
_TAKEN: Final = "already acquired"
_CHANGED: Final = "changed:"


class Leaving:
    """Handles signals that end this process: not in the middle of what has to be whole."""

    def __init__(self) -> None:
        """Begin with nothing that has to be whole."""
        self._whole = self._wanted = False

    def __call__(self, *_: object) -> None:
        """End the process, or do so later; a second signal does not wait."""
        if not self._whole or self._wanted:
            sys.exit(1)
        self._wanted = True

    @contextmanager
    def later(self) -> Iterator[None]:
        """Put a signal off until the end of the block."""
        self._whole = True
        try:
            yield
        finally:
            self._whole = False
            if self._wanted:
                sys.exit(1)


leaving: Final = Leaving()


def places_of(lab: Environment, board: str) -> list[str]:
    """Return the names of the places that a target of a configuration consists of."""
    resources = (lab.config.get_targets().get(board) or {}).get("resources", {})
    several = resources if isinstance(resources, list) else [resources]
    found = [one["RemotePlace"] for one in several if "RemotePlace" in one]
    return [one["name"] for one in found]


@contextmanager
def held(place: str, lab: Environment, wait_s: float) -> Iterator[None]:
    """Have a place for us alone.

    A place that our killed process left taken is given back first.

    Args:
        place: its name.
        lab: the configuration with the address of the coordinator.
        wait_s: how long to wait for another client to give it back, in seconds.

    Raises:
        LinkBusy: another client keeps it.
        LinkMissing: there is no such place, or no exporter has its resources.
    """
    client = _Client(lab, place)
    deadline = time.monotonic() + wait_s
    with _mark(client.address, place) as mark:
        said: str | None = _TAKEN
        try:
            while said is not None:
                with leaving.later():
                    said = client.acquire(mark)
                if said is None:
                    break
                if _TAKEN not in said:
                    raise LinkMissing(f"place {place}: {said}", "see: labgrid-client places")
                if time.monotonic() >= deadline:
                    raise LinkBusy(
                        f"place {place} was not free within {wait_s:g} s: {said}",
                        "wait for longer (wait_s), or end that client: "
                        f"labgrid-client -p {place} release",
                    )
                time.sleep(_LOOK_S)
            yield
        finally:
            if said is None:
                with leaving.later():
                    client.release(mark)


@contextmanager
def _mark(address: str, place: str) -> Iterator[TextIO]:
    """Open the file of a place."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "tickertape/places"
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(f"{address} {place}".encode()).hexdigest()[:16]
    with (folder / name).open("a+", encoding="utf-8") as mark:
        yield mark


class _Client:
    """labgrid-client for one place."""

    def __init__(self, lab: Environment, place: str) -> None:
        address = lab.config.get_option("coordinator_address", None)
        self.address = address or ""
        self._where = [] if address is None else ["-x", address]
        self._place = place

    def acquire(self, mark: TextIO) -> str | None:
        """Take the place; return why not, None when it is ours."""
        try:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return f"{_TAKEN} by another suite on this machine"
        said = self._run("acquire")[0]
        if said is not None and _TAKEN in said and self._was_left(mark):
            print(  # noqa: T201 - into the log of the board
                f"place {self._place} was left taken by a process that was killed: giving it back",
                file=sys.stderr,
            )
            self._run("release")  # with the file still locked: no other suite gets in between
            said = self._run("acquire")[0]
        if said is None:
            mark.truncate(0)
            mark.write(self._changed())
            mark.flush()
        else:
            fcntl.flock(mark, fcntl.LOCK_UN)
        return said

    def release(self, mark: TextIO) -> None:
        """Give the place back."""
        mark.truncate(0)
        self._run("release")
        fcntl.flock(mark, fcntl.LOCK_UN)

    def _was_left(self, mark: TextIO) -> bool:
        """Whether it is still as taken as a process took it that is no more."""
        mark.seek(0)
        taken = mark.read()
        return bool(taken) and taken == self._changed()

    def _changed(self) -> str:
        """Return the line that states when the place was acquired, or changed otherwise."""
        lines = self._run("show")[1].splitlines()
        return next((one.strip() for one in lines if one.strip().startswith(_CHANGED)), "")

    def _run(self, verb: str) -> tuple[str | None, str]:
        """Return what the client complains of, None when it succeeds, and all that it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "labgrid.remote.client", *self._where, "-p", self._place, verb],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            start_new_session=True,  # Ctrl-C is for us
        )
        lines = done.stdout.strip().splitlines() or ["labgrid-client fails without a message"]
        return (lines[-1] if done.returncode else None), done.stdout
