"""`tickertape export`: write a tape as another tool's trace file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.cli.formats import add_formats, add_option, options_of
from tickertape.cli.options import add_boot, add_file, add_quiet, add_tape
from tickertape.cli.reading import reading_all
from tickertape.cli.symbol_source import add_symbols, given_symbols, is_taken_anyway
from tickertape.formats.source import Source
from tickertape.model.boot import Boots
from tickertape.model.code_names import CodeNames

if TYPE_CHECKING:
    import argparse

    from tickertape.formats.registry import Conversion


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the formats."""
    add_formats(parser, "EXPORTS", add_export)


def add_export(parser: argparse.ArgumentParser, conversion: Conversion) -> None:
    """Declare the arguments of one format."""
    add_tape(parser)
    add_outputs(parser, conversion)


def add_outputs(parser: argparse.ArgumentParser, conversion: Conversion) -> None:
    """Declare the arguments of one format, except the tape."""
    add_file(parser, *conversion.output)
    for option in conversion.options:
        add_option(parser, option)
    if conversion.names_code:
        add_symbols(parser)
    if all(option.name != "boot" for option in conversion.options):
        add_boot(parser)
    add_quiet(parser)
    parser.set_defaults(conversion=conversion)


def run(arguments: argparse.Namespace) -> int:
    """Export, and print a summary, which names data that the output cannot contain."""
    conversion: Conversion = arguments.conversion
    given = given_symbols(arguments) if conversion.names_code else None
    force = conversion.names_code and is_taken_anyway(arguments, given)
    export = conversion.load()
    own = any(option.name == "boot" for option in conversion.options)
    with reading_all(arguments, None if own else arguments.boot) as (reader, tell):
        boots = Boots(reader, CodeNames(reader, given, force=force).of)
        source = Source(reader, boots, tell)
        report = export(source, arguments.output, **options_of(arguments, conversion))
    if not arguments.quiet:
        files = ", ".join(map(str, [arguments.output, *report.files]))
        print(f"{files}: {conversion.summary(report)}")
    return 0
