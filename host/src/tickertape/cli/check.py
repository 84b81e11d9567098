"""`tickertape check`: check a tape against timing requirements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.answers.check import check
from tickertape.answers.junit import junit
from tickertape.answers.spec import load
from tickertape.cli.options import add_boot, add_quiet, add_tape
from tickertape.cli.reading import reading_all
from tickertape.cli.verdicts import show_verdicts, verdict_code
from tickertape.files import write_text
from tickertape.report.page import document
from tickertape.report.verdicts import by_outcome, verdicts_body

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument(
        "--spec", type=Path, required=True, metavar="FILE", help="the requirements, a YAML file"
    )
    add_boot(parser)
    parser.add_argument("--stream", type=int, metavar="N", help="only this stream")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="also write a JUnit file")
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="also write an HTML file; it needs no network"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check, and print a verdict for each requirement."""
    requirements = load(arguments.spec)
    with reading_all(arguments, arguments.boot) as (reader, say):
        verdicts = check(reader, requirements, stream=arguments.stream, on_progress=say)
    if arguments.junit is not None:
        write_text(arguments.junit, junit(verdicts, suite=arguments.spec.stem))
    if arguments.html is not None:
        title = f"{arguments.tape.name} checked by {arguments.spec.name}"
        write_text(arguments.html, document(title, verdicts_body(verdicts)))
    if arguments.json:
        found = [one.to_json() for one in verdicts]
        print(json.dumps({"verdicts": found, "counts": by_outcome(verdicts)}, indent=2))
    elif not arguments.quiet:
        show_verdicts(verdicts, str(arguments.tape), stream=arguments.stream)
    return verdict_code(verdicts)
