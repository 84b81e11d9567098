"""`tickertape spec`: create and explain timing specifications."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.answers.spec import load
from tickertape.answers.spec_init import MARGIN_PERCENT, first_spec
from tickertape.answers.spec_kinds import schema
from tickertape.cli.options import add_boot, add_tape
from tickertape.cli.reading import reading
from tickertape.files import write_text
from tickertape.text import escaped

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    init = actions.add_parser(
        "init",
        help="write a first specification from an observed run",
        description="Write a first specification from an observed run: what was seen, plus "
        f"{MARGIN_PERCENT} %.",
    )
    add_tape(init)
    add_boot(init)
    init.add_argument("-o", "--output", type=Path, metavar="FILE", help="write it to this file")
    explain = actions.add_parser(
        "explain",
        help="print a specification in sentences",
        description="Print a specification in sentences.",
    )
    explain.add_argument("spec", type=Path, metavar="FILE", help="the specification")
    actions.add_parser(
        "schema",
        help="print the JSON schema of specifications, for editors",
        description="Print the JSON schema of specifications, for editors.",
    )


def run(arguments: argparse.Namespace) -> int:
    """Execute the action: init, explain or schema."""
    if arguments.action == "schema":
        print(json.dumps(schema(), indent=2, ensure_ascii=False))
    elif arguments.action == "explain":
        for number, one in enumerate(load(arguments.spec), 1):
            print(escaped(f"{number}. {one.name}: {one.sentence}"))
    else:
        with reading(arguments.tape, arguments.boot) as reader:
            text = first_spec(reader)
        if arguments.output is None:
            print(text, end="")
        else:
            write_text(arguments.output, text)
    return 0
