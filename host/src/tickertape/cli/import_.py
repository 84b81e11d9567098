"""`tickertape import`: convert another tool's trace file to a tape."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.formats import add_formats, add_option, options_of
from tickertape.cli.options import add_output, add_quiet
from tickertape.cli.output import ProgressLine, warn
from tickertape.cli.pace import pace
from tickertape.cli.summarise import summarise
from tickertape.errors import ForeignFile
from tickertape.file_kinds import refuse_other_kind, with_kind

if TYPE_CHECKING:
    import argparse

    from tickertape.formats.registry import Conversion


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the formats."""
    add_formats(parser, "IMPORTS", _add_import)


def _add_import(parser: argparse.ArgumentParser, conversion: Conversion) -> None:
    metavar, text = conversion.file
    parser.add_argument("file", type=Path, metavar=metavar, help=text)
    add_output(parser)
    for option in conversion.options:
        add_option(parser, option)
    add_quiet(parser)
    parser.set_defaults(conversion=conversion)


def run(arguments: argparse.Namespace) -> int:
    """Import, report anomalies of the file, and store a summary on the tape."""
    conversion: Conversion = arguments.conversion
    file: Path = arguments.file
    unit_bytes = conversion.unit_bytes if file.is_file() else 0
    units = file.stat().st_size // unit_bytes if unit_bytes else 0
    started, import_ = time.monotonic(), conversion.load()
    refuse_other_kind(file, arguments.format, conversion.help)
    with ProgressLine(quiet=arguments.quiet) as line:
        try:
            report = import_(
                file,
                arguments.output,
                **options_of(arguments, conversion),
                on_progress=lambda done: line.say(pace(conversion.counted, done, units, started)),
            )
        except ForeignFile as error:
            raise with_kind(error, file, arguments.format) from error
    for remark in conversion.remarks(report):
        warn(f"{file}: {remark}")
    if not arguments.quiet:
        print(f"{arguments.output}: {conversion.summary(report)}")
    summarise([arguments.output], quiet=arguments.quiet)
    return 0
