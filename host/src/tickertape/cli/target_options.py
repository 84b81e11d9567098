"""Options of the subcommands that run or capture a target."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import seconds
from tickertape.edit.rotate import Rotation
from tickertape.errors import UsageError
from tickertape.symbols.zephyr_build import find_build
from tickertape.targets import ALIASES, TARGETS, RenodeTarget, ZephyrTarget, find_target

if TYPE_CHECKING:
    from tickertape.targets.base import Target

DEFAULT_EXAMPLE = "first_tape"
_U32_MAX = 2**32 - 1
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SMALLEST_BYTES = 64 << 10  # names and index of a tape may take a few kilobytes


def number_option(text: str) -> tuple[str, int]:
    """Parse NAME=N, with a number from 0 to 2^32 - 1 for the application.

    Raises:
        argparse.ArgumentTypeError: the text is not such an option.
    """
    name, mark, number = text.partition("=")
    valid = name.isidentifier() and mark and number.isascii() and number.isdecimal()
    if not valid or int(number) > _U32_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=N with a number up to {_U32_MAX}")
    return name, int(number)


def add_target(parser: argparse.ArgumentParser, *, default: str | None) -> None:
    """Add --target; without a default the target is the build of Zephyr in this folder."""
    otherwise = f"default: {default}" if default else "default: the build of Zephyr here, for QEMU"
    parser.add_argument(
        "--target",
        metavar="TARGET",
        default=default,
        help=f"where the firmware runs: {', '.join(ALIASES)} or one of {', '.join(TARGETS)}, or a "
        "board that is flashed: board:NAME[@PROBE]; "
        f"`tickertape targets` shows which are here ({otherwise})",
    )


def add_example(parser: argparse.ArgumentParser) -> None:
    """Add --example, the firmware."""
    parser.add_argument(
        "--example",
        metavar="NAME",
        default=DEFAULT_EXAMPLE,
        help=f"folder in firmware/examples (default: {DEFAULT_EXAMPLE})",
    )


def add_control(parser: argparse.ArgumentParser) -> None:
    """Add --control, which accepts commands for the target during a capture."""
    parser.add_argument(
        "--control",
        metavar="SOCKET",
        help="create a Unix socket at this path; during the capture `tickertape control "
        "unix:SOCKET` controls the target; for this user only",
    )


def control_of(arguments: argparse.Namespace) -> str | None:
    """Return the path of the socket without a prefix `unix:`; None if not given."""
    path: str | None = arguments.control
    return None if path is None else path.removeprefix("unix:")


def add_rotation(parser: argparse.ArgumentParser) -> None:
    """Add --rotate-size and --rotate-time, which split the recording into several tapes."""
    parser.add_argument(
        "--rotate-size",
        type=size,
        metavar="SIZE",
        help="start a new tape at this size, e.g. 100M; K, M, G are powers of 1024",
    )
    parser.add_argument(
        "--rotate-time",
        type=seconds,
        metavar="S",
        help="start a new tape every S seconds (clock of this machine)",
    )


def rotation_of(arguments: argparse.Namespace) -> Rotation | None:
    """Return when to start a new tape; None for never."""
    size, period_s = arguments.rotate_size, arguments.rotate_time
    return None if size is None and period_s is None else Rotation(size, period_s)


def size(text: str) -> int:
    """Parse a number of bytes of at least 64K, optionally with the suffix K, M or G.

    Raises:
        argparse.ArgumentTypeError: the text is not such a size.
    """
    number, unit = text[:-1], text[-1:].upper()
    if unit not in _UNITS:
        number, unit = text, ""
    if number.isascii() and number.isdecimal() and int(number) * _UNITS[unit] >= _SMALLEST_BYTES:
        return int(number) * _UNITS[unit]
    raise argparse.ArgumentTypeError(f"{text!r} is not a size of at least 64K, such as 100M")


def target_of(arguments: argparse.Namespace) -> Target:
    """Return the target of --target, else the build of Zephyr in this folder.

    Raises:
        UsageError: no target has this name, or none is given and there is no such build.
        TargetError: the build cannot be started here.
    """
    if arguments.target is not None:
        return find_target(arguments.target)
    build = find_build(Path.cwd())
    if build is None:
        raise UsageError(
            "no target is named, and there is no build of Zephyr with tickertape here",
            "name one, as in: tickertape run --target qemu -o T.tape",
        )
    return ZephyrTarget(build)


def profiled(target: Target, path: Path) -> Target:
    """Return the target with an instruction profile written to `path`.

    Raises:
        UsageError: the target is not Renode, which counts instructions by function.
    """
    if not isinstance(target, RenodeTarget):
        raise UsageError(
            f"{target.name} cannot write a profile", "use --target renode, or leave out --profile"
        )
    return RenodeTarget(target.platform, profile=path)
