"""`tickertape targets`: list targets, missing programs, and how to install them."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rich.table import Table

from tickertape.cli.console import PlainConsole
from tickertape.errors import UsageError
from tickertape.targets import ALIASES, TARGETS
from tickertape.targets.board_target import PREFIX
from tickertape.targets.boards import BOARDS
from tickertape.targets.firmware import ARM_COMPILER, NATIVE_COMPILER, PACKAGES
from tickertape.targets.flash import find_tool
from tickertape.targets.probes import connected
from tickertape.targets.qemu import EMULATOR as QEMU
from tickertape.targets.renode import EMULATOR as RENODE
from tickertape.targets.renode import INSTALL

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

_TOOLS = {
    "native": (NATIVE_COMPILER, "make"),
    "qemu": (ARM_COMPILER, "make", QEMU),
    "renode": (ARM_COMPILER, "make", RENODE),
    "board": (ARM_COMPILER, "make"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A target and its missing programs.

    Attributes:
        target: full name.
        aliases: shorter names.
        missing: programs that are not installed, or the debug probe that is not connected.
        remedy: how to provide them; empty if nothing is missing.
    """

    target: str
    aliases: list[str]
    missing: list[str]
    remedy: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--json", action="store_true", help="a JSON list, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print one row per target."""
    rows = [row_of(name) for name in (*TARGETS, *(f"{PREFIX}{board}" for board in BOARDS))]
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return 0
    table = Table(box=None, pad_edge=False)
    for title in ("target", "also", "here"):
        table.add_column(title, no_wrap=title != "here")
    for row in rows:
        here = "yes" if not row.missing else f"no {', '.join(row.missing)}: {row.remedy}"
        table.add_row(row.target, ", ".join(row.aliases), here)
    PlainConsole().print(table)
    return 0


def row_of(name: str) -> Row:
    """Return the row of a target, given by its name or an alias."""
    name = ALIASES.get(name, name)
    missing = [tool for tool in _TOOLS[name.partition(":")[0]] if shutil.which(tool) is None]
    packages = " ".join(PACKAGES[tool] for tool in missing if tool in PACKAGES)
    remedies = [f"sudo apt-get install {packages}"] if packages else []
    if RENODE in missing:
        remedies.append(INSTALL)
    if name.startswith(PREFIX):
        for what, remedy in _missing_of_boards():
            missing.append(what)
            remedies.append(remedy)
    aliases = [alias for alias, whole in ALIASES.items() if whole == name]
    return Row(name, aliases, missing, "; ".join(remedies))


def _missing_of_boards() -> Iterator[tuple[str, str]]:
    """Yield what every board needs and is missing here, with its remedy."""
    try:
        find_tool(None)
    except UsageError as error:
        yield "tool that flashes", error.advice
    if not connected():
        yield "debug probe", "plug one in"
