"""labgrid's decorators with types."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

from labgrid.driver import Driver
from labgrid.step import step

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


def stepped(*shown: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a method a step of labgrid's reports, which needs an active driver.

    Args:
        shown: names of the arguments that the report shows.
    """

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        made = Driver.check_active(step(args=list(shown))(method))
        return cast("Callable[P, R]", made)

    return decorate
