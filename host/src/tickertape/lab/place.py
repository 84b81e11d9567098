"""Acquire a place of labgrid exclusively, and release it however this process ends.

While a process holds a place, it locks a file in this user's cache. The kernel removes the lock
when the process dies; the contents of the file then show that the place was left acquired.
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
    """Signal handler that ends this process, but not within a block of `later`."""

    def __init__(self) -> None:
        """Start outside of such a block."""
        self._whole = self._wanted = False

    def __call__(self, *_: object) -> None:
        """End the process, or defer that to the end of the block; a second signal ends it at once.

        Its arguments are those of a signal handler.
        """
        if not self._whole or self._wanted:
            sys.exit(1)
        self._wanted = True

    @contextmanager
    def later(self) -> Iterator[None]:
        """Defer a signal to the end of the block."""
        self._whole = True
        try:
            yield
        finally:
            self._whole = False
            if self._wanted:
                sys.exit(1)


leaving: Final = Leaving()


def places_of(lab: Environment, board: str) -> list[str]:
    """Return the names of the places of a target in a configuration."""
    resources = (lab.config.get_targets().get(board) or {}).get("resources", {})
    several = resources if isinstance(resources, list) else [resources]
    found = [one["RemotePlace"] for one in several if "RemotePlace" in one]
    return [one["name"] for one in found]


@contextmanager
def held(place: str, lab: Environment, wait_s: float) -> Iterator[None]:
    """Hold a place exclusively while the context lasts.

    A place that a process of this user left acquired when it was killed is released first.

    Args:
        place: name of the place.
        lab: configuration with the address of the coordinator.
        wait_s: how long to wait until another client releases it, in seconds.

    Raises:
        LinkBusy: another client still holds the place.
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
    """Open the lock file of a place."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "tickertape/places"
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(f"{address} {place}".encode()).hexdigest()[:16]
    with (folder / name).open("a+", encoding="utf-8") as mark:
        yield mark


class _Client:
    """Runs labgrid-client for one place."""

    def __init__(self, lab: Environment, place: str) -> None:
        address = lab.config.get_option("coordinator_address", None)
        self.address = address or ""
        self._where = [] if address is None else ["-x", address]
        self._place = place

    def acquire(self, mark: TextIO) -> str | None:
        """Acquire the place; return why it failed, None on success."""
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
            self._run("release")  # the file is locked: no other suite acquires it in between
            said = self._run("acquire")[0]
        if said is None:
            mark.truncate(0)
            mark.write(self._changed())
            mark.flush()
        else:
            fcntl.flock(mark, fcntl.LOCK_UN)
        return said

    def release(self, mark: TextIO) -> None:
        """Release the place and unlock its file."""
        mark.truncate(0)
        self._run("release")
        fcntl.flock(mark, fcntl.LOCK_UN)

    def _was_left(self, mark: TextIO) -> bool:
        """Return whether the place is unchanged since a process acquired it that has died."""
        mark.seek(0)
        taken = mark.read()
        return bool(taken) and taken == self._changed()

    def _changed(self) -> str:
        """Return the line of labgrid-client with the time of the last change of the place."""
        lines = self._run("show")[1].splitlines()
        return next((one.strip() for one in lines if one.strip().startswith(_CHANGED)), "")

    def _run(self, verb: str) -> tuple[str | None, str]:
        """Run labgrid-client; return its error, None on success, and its whole output."""
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
