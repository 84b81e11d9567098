"""`tickertape info`: say what a tape holds and what was lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tickertape.analysis.summary import summary_of
from tickertape.cli.options import add_tape
from tickertape.cli.screen import show_summary
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print the summary."""
    with TapeReader(arguments.tape) as reader:
        summary = summary_of(reader)
    if arguments.json:
        print(json.dumps(summary.to_json(), indent=2, ensure_ascii=False))
    else:
        show_summary(summary)
    return 0
