"""Arguments of exports and imports, built from the registry of formats."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tickertape.cli.options import Renamed
from tickertape.formats.registry import conversions

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.formats.registry import Conversion, Option


def add_formats(
    parser: argparse.ArgumentParser,
    direction: str,
    add_files: Callable[[argparse.ArgumentParser, Conversion], None],
) -> None:
    """Declare the formats of a command.

    Args:
        parser: parser of the command.
        direction: `EXPORTS` or `IMPORTS`.
        add_files: declares the arguments of one format.
    """
    choices = parser.add_subparsers(dest="format", metavar="FORMAT", required=True)
    for name, conversion in conversions(direction).items():
        text = conversion.help
        chosen = choices.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        add_files(chosen, conversion)


def add_option(parser: argparse.ArgumentParser, option: Option) -> None:
    """Declare an option."""
    more: dict[str, Any] = {}
    if option.action != "store_true":
        more = {"type": _type_of(option), "choices": option.choices or None}
        more |= {"metavar": option.metavar} if option.metavar else {}
    if option.action == "append":
        more["default"] = []
    else:
        more["default"] = option.default
    parser.add_argument(
        *option.flags.split(),
        dest=option.name,
        help=option.help,
        action=option.action,
        required=option.required,
        **more,
    )
    if option.former:
        parser.add_argument(
            option.former,
            dest=option.name,
            action=Renamed,
            new=option.flags.split()[0],
            type=_type_of(option),
            default=argparse.SUPPRESS,
            help=argparse.SUPPRESS,
        )


def _type_of(option: Option) -> Callable[[str], object]:
    """Return the parser of an option; argparse shows the message of its ValueError."""

    def parse(text: str) -> object:
        try:
            return option.parse(text) if option.parse else text
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return parse


def options_of(arguments: argparse.Namespace, conversion: Conversion) -> dict[str, object]:
    """Return the values of a conversion's options by name, the arguments of its function."""
    return {option.name: getattr(arguments, option.name) for option in conversion.options}
