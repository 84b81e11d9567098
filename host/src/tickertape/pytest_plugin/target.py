"""The value of the fixture `tape_target`: a target, and the tapes that a test recorded on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tickertape.api.tape import Tape
from tickertape.cli.targets import row_of
from tickertape.collector import CaptureOptions, StopReason
from tickertape.collector.run_image import run_image
from tickertape.errors import TickertapeError
from tickertape.targets import find_target
from tickertape.targets.program import image_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.targets.base import Target

TIMEOUT_S: Final = 300.0
"""Seconds of this machine after which a run that does not end fails its test."""


class TapeTarget:
    """A target of a test.

    Attributes:
        name: name of the target, as in `tickertape targets`.
        tapes: recorded tapes in order, open until the end of the test.
    """

    def __init__(self, name: str, target: Target, folder: Path, root: Path) -> None:
        """Begin without tapes.

        Args:
            name: name of the target, as in `tickertape targets`.
            target: target that runs the firmware.
            folder: folder for the tapes.
            root: base folder of relative paths of images.
        """
        self.name = name
        self.tapes: list[Tape] = []
        self._target = target
        self._folder = folder
        self._root = root

    @classmethod
    def of(cls, name: str, folder: Path, root: Path) -> TapeTarget:
        """Find a target by name; skip the test if a program that it needs is not installed."""
        try:
            target = find_target(name)
        except TickertapeError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        row = row_of(name)
        if row.missing:
            pytest.skip(f"{name} needs {', '.join(row.missing)}: {row.remedy}")
        return cls(name, target, folder, root)

    def run(
        self,
        example: str = "first_tape",
        *,
        image: Path | str | None = None,
        duration_s: float | None = None,
        options: Mapping[str, int] | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> Tape:
        """Build an example, run it to its end, and return the open tape.

        The test fails if the firmware does not build, start or end, or if it ends with an error.
        The failure report then includes the tape, if one was recorded.

        Args:
            example: name of the application.
            image: an ELF file that was built elsewhere, instead of an example; a relative path
                begins at pytest's root.
            duration_s: seconds of the target's own time; the example's default when None.
            options: numbers for the application, by name.
            timeout_s: seconds of this machine after which a run that does not end fails.
        """
        try:
            built = (
                self._target.build(example)
                if image is None
                else image_of(self._root / image, self._target, self._folder / Path(image).name)
            )
            path = self._folder / f"{built.example}{self._mark()}.tape"
            result = run_image(
                self._target,
                built,
                path,
                CaptureOptions(duration_s=timeout_s, handle_signals=False),
                duration_s=duration_s,
                options=options,
            )
            tape = Tape(path)
        except TickertapeError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        self.tapes.append(tape)
        problems = [str(problem) for problem in result.problems]
        if result.reason is not StopReason.END:
            problems.append(f"{built.example} did not end within {timeout_s:g} s")
        if problems:
            pytest.fail("; ".join(problems), pytrace=False)
        return tape

    def _mark(self) -> str:
        """Return a suffix that makes the name of the next tape unique."""
        return f"-{len(self.tapes) + 1}" if self.tapes else ""

    def sections(self) -> list[tuple[str, str]]:
        """Return a section for each tape: a title, then path and summary."""
        return [(f"tickertape: {self.name}", _described(tape)) for tape in self.tapes]

    def close(self) -> None:
        """Close the tapes; the files remain in the test's folder."""
        for tape in self.tapes:
            tape.close()


def _described(tape: Tape) -> str:
    """Return path and summary of a tape, or the error if the tape cannot be read."""
    try:
        with Tape(tape.path) as again:  # the test may have closed its own
            found = again.summary()
    except TickertapeError as error:
        return str(error)
    total = found.balance.total
    names = ("offered", "delivered", "overwritten", "dropped", "damaged")
    balance = ", ".join(f"{getattr(total, name)} {name}" for name in names)
    tasks = ", ".join(
        f"{task.name} {task.run_ns / 1e6:.3f} ms" for task in found.tasks if task.run_ns
    )
    lines = [
        str(tape.path),
        f"{found.events} events in {found.duration_ns / 1e9:.6f} s, boots: {found.epochs}",
        f"records: {balance}",
        f"CPU time: {tasks or 'unknown'}",
        *found.issues,
    ]
    return "\n".join(lines)
