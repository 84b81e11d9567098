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
    """Lives through histories of both kinds and checks them; a context."""

    def __init__(self, programs: Path, scratch: Path) -> None:
        """Begin.

        Args:
            programs: a folder that keeps the recorder's drivers.
            scratch: a folder for the tape, best in memory.
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
        """Live through a history and check it; it breaks off after `steps` steps.

        In every second one of kind `simulated` combine events stay open, with others in them.

        Returns:
            How many records it delivered.

        Raises:
            Exception: whatever does not hold.
        """
        random = Random(f"{kind} {seed}")  # noqa: S311 - chance of accidents, not of secrets
        if kind == "core":
            return check_history(self._core.live(seed, steps), random, self._tape)
        return check_history(live_busily(random, steps, nested=seed % 2 == 1), random, self._tape)

    def fault(self, kind: str, seed: int, steps: int = MOST_STEPS) -> str:
        """Return the violations in a history; empty without any."""
        try:
            self.check(kind, seed, steps)
        except Exception as error:  # noqa: BLE001 - whatever comes is what we look for
            where = traceback.extract_tb(error.__traceback__)[-1]
            return f"{type(error).__name__} in {where.name}: {error}"[:1500]
        return ""

    def shortest(self, kind: str, seed: int) -> tuple[int, str]:
        """Find the least steps after which the history shows a fault, and which."""
        for steps in range(150):
            fault = self.fault(kind, seed, steps)
            if fault:
                return steps, fault
        return MOST_STEPS, self.fault(kind, seed)
