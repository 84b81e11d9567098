"""Builds a firmware and starts it where it can run: as a Linux program or in an emulator."""

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tickertape.targets.native import NativeTarget
from tickertape.targets.qemu import QemuTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tickertape.targets.base import Target

TARGETS: "Final[Mapping[str, Callable[[], Target]]]" = MappingProxyType(
    {
        "native": NativeTarget,
        "qemu": lambda: QemuTarget("mps2-an386"),
        "qemu-m3": lambda: QemuTarget("mps2-an385"),
        "qemu-dual": lambda: QemuTarget("mps2-an521"),
    }
)
"""What makes a target, by the name that the user types."""

__all__ = ["TARGETS", "NativeTarget", "QemuTarget"]
