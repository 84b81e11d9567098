"""Build a firmware and start it: as a Linux program, in an emulator or on a board."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tickertape.errors import UsageError, nearest
from tickertape.targets.board_target import PREFIX, BoardTarget
from tickertape.targets.native import NativeTarget
from tickertape.targets.qemu import MACHINES, QemuTarget
from tickertape.targets.renode import PLATFORMS, RenodeTarget
from tickertape.targets.zephyr import ZephyrTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tickertape.targets.base import Target

TARGETS: Final[Mapping[str, Callable[[], Target]]] = MappingProxyType(
    {
        "native": NativeTarget,
        **{f"qemu:{name}": partial(QemuTarget, name) for name in MACHINES},
        **{f"renode:{name}": partial(RenodeTarget, name) for name in PLATFORMS},
    }
)
"""Functions that make a target, by its full name KIND[:VARIANT]."""

ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "qemu": "qemu:mps2-an386",
        "qemu-m3": "qemu:mps2-an385",
        "qemu-dual": "qemu:mps2-an521",
        "microbit": "qemu:microbit",
        "stm32f4": "qemu:stm32f4",
        "renode": "renode:mps2-an385",
    }
)
"""Shorter names of targets."""


def find_target(name: str) -> Target:
    """Return the target with a name; `board:NAME[@PROBE]` is a real board.

    Raises:
        UsageError: no target or board has this name.
    """
    if name.startswith(PREFIX):
        return BoardTarget(*name.removeprefix(PREFIX).split("@", 1))
    maker = TARGETS.get(ALIASES.get(name, name))
    if maker is None:
        raise UsageError(f"no target is called {name!r}", nearest(name, (*ALIASES, *TARGETS)))
    return maker()


__all__ = [
    "ALIASES",
    "TARGETS",
    "BoardTarget",
    "NativeTarget",
    "QemuTarget",
    "RenodeTarget",
    "ZephyrTarget",
    "find_target",
]
