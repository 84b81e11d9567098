"""Typed versions of labgrid's decorators."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

from labgrid.driver import Driver
from labgrid.step import step

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


def stepped(*shown: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a method that needs an active driver and appears as a step in labgrid's reports.

    Args:
        shown: names of the arguments to show in the report.
    """

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        made = Driver.check_active(step(args=list(shown))(method))
        return cast("Callable[P, R]", made)

    return decorate
