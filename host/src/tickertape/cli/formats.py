"""Commands that do the same for several formats: `tickertape export FORMAT`, `import FORMAT`.

A format is a module of this package, `export_kev` for `export kev`, with two functions as every
subcommand has them: `add_arguments(parser)` and `run(arguments) -> int`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping


def add_formats(parser: argparse.ArgumentParser, command: str, formats: Mapping[str, str]) -> None:
    """Declare the formats of a command, and the options of each.

    Args:
        parser: of the command.
        command: its name.
        formats: what each format is, by its name.
    """
    choices = parser.add_subparsers(dest="format", metavar="FORMAT", required=True)
    for name, help_ in formats.items():
        module = import_module(f"tickertape.cli.{command}_{name.replace('-', '_')}")
        chosen = choices.add_parser(
            name, help=help_, description=help_[0].upper() + help_[1:] + "."
        )
        module.add_arguments(chosen)
        chosen.set_defaults(run_format=module.run)


def run(arguments: argparse.Namespace) -> int:
    """Do it in the format that was chosen."""
    code: int = arguments.run_format(arguments)
    return code
