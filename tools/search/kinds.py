"""The kinds of histories: the recorder itself, and the simulated target."""

from __future__ import annotations

import traceback
from contextlib import ExitStack
from random import Random
from typing import TYPE_CHECKING, Final, Self

from tests.support.busy_target import live_busily
from tests.support.core_histories import MOST_STEPS, CoreHistories
from tests.support.histories import check_history

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

KINDS: Final = ("core", "simulated")


class Histories:
    """Runs histories of both kinds and checks them; a context manager."""

    def __init__(self, programs: Path, scratch: Path) -> None:
        """Set the folders.

        Args:
            programs: folder that keeps the built drivers of the recorder.
            scratch: folder for the tape, preferably in memory.
        """
        self._tape = scratch / "history.tape"
        self._core = CoreHistories(programs)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(self._core)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def check(self, kind: str, seed: int, steps: int = MOST_STEPS) -> int:
        """Run a history of at most `steps` steps and check it.

        In every second history of kind `simulated`, combine events stay open while others are
        recorded.

        Returns:
            The number of delivered records.

        Raises:
            Exception: a condition does not hold.
        """
        random = Random(f"{kind} {seed}")  # noqa: S311 - random damage needs no cryptography
        if kind == "core":
            return check_history(self._core.live(seed, steps), random, self._tape)
        return check_history(live_busily(random, steps, nested=seed % 2 == 1), random, self._tape)

    def fault(self, kind: str, seed: int, steps: int = MOST_STEPS) -> str:
        """Run a history and return its violation; empty without one."""
        try:
            self.check(kind, seed, steps)
        except Exception as error:  # noqa: BLE001 - any exception is a fault
            where = traceback.extract_tb(error.__traceback__)[-1]
            return f"{type(error).__name__} in {where.name}: {error}"[:1500]
        return ""

    def shortest(self, kind: str, seed: int) -> tuple[int, str]:
        """Return the fewest steps after which the history has a fault, and the fault."""
        for steps in range(150):
            fault = self.fault(kind, seed, steps)
            if fault:
                return steps, fault
        return MOST_STEPS, self.fault(kind, seed)
