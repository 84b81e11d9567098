"""`tickertape why`: explain the parts of the response time of a task."""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from tickertape.answers.commands import view_words
from tickertape.answers.places import Choice, spans_of
from tickertape.answers.waterfall import waterfall
from tickertape.answers.why import why
from tickertape.cli.console import PlainConsole
from tickertape.cli.filters import add_times, time_ns, times_of
from tickertape.cli.options import add_quiet, add_tape, stream_of
from tickertape.cli.reading import reading_all
from tickertape.decode.ticks import NS_PER_S
from tickertape.errors import UsageError
from tickertape.files import write_text
from tickertape.report.numbers import duration

if TYPE_CHECKING:
    from tickertape.answers.why import Part, Why
    from tickertape.decode.ticks import Clock

_MOST_WORST = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument(
        "--task", required=True, metavar="NAME", help="task to explain; name or number"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--instance", type=_number, metavar="N", help="this instance; 0 is the first"
    )
    which.add_argument(
        "--worst",
        type=_count,
        metavar="K",
        help="the K longest instances (default: 1)",
    )
    which.add_argument(
        "--at", type=time_ns, metavar="TIME", help="the instance at TIME, e.g. 1.25, 300ms"
    )
    add_times(
        parser,
        "explain a range of time instead of an instance: from TIME, e.g. 1.25, 300ms",
        "up to TIME",
    )
    parser.add_argument(
        "--boot", type=_number, metavar="N", help="only this boot of the target; 0 is the first"
    )
    parser.add_argument("--stream", type=_number, metavar="N", help="only this stream")
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    parser.add_argument(
        "--svg", type=Path, metavar="FILE", help="also draw the first answer as a waterfall"
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Explain response times, and print each answer as a tree."""
    begin, end = times_of(arguments)
    is_range = begin is not None or end is not None
    named = (arguments.instance, arguments.worst, arguments.at)
    if is_range and any(one is not None for one in named):
        raise UsageError(
            "--from and --to explain a range, not an instance",
            "leave out --instance, --worst and --at",
        )
    choice = Choice(
        arguments.task, arguments.instance, arguments.worst or 1, arguments.at, arguments.boot
    )
    with reading_all(arguments, arguments.boot) as (reader, say):
        choice = choice._replace(spans=spans_of(reader, begin, end), is_range=is_range)
        stream = stream_of(reader, arguments.stream)
        answers = why(reader, choice, stream=stream, on_progress=say)
    if arguments.svg is not None:
        write_text(arguments.svg, waterfall(answers[0]))
    if arguments.json:
        print(json.dumps({"answers": [answer.to_json() for answer in answers]}, indent=2))
    else:
        console = PlainConsole()
        for answer in answers:
            console.print(tree_of(answer))
            ticks = answer.begin_ticks, answer.end_ticks
            words = view_words(
                str(arguments.tape),
                answer.clock,
                ticks,
                epoch=answer.epoch,
                task=answer.task,
                stream=arguments.stream,
            )
            console.print(Text(f"tickertape {shlex.join(words)}"), soft_wrap=True)
    return 0


def tree_of(answer: Why) -> Tree:
    """Return an answer as a tree for the terminal."""
    clock = answer.clock
    begin = f"{clock.ns(answer.begin_ticks) / NS_PER_S:.9f} s"
    since = "activated at" if answer.begin_known else "known since"
    since = "from" if answer.instance is None else since
    until = "" if answer.ended else ", its end is not on the tape"
    boot = f" of boot {answer.epoch}" if answer.epoch else ""
    title = f"{answer.title}{boot}: {_time(clock, answer.ticks)}, "
    tree = Tree(Text(f"{title}{since} {begin}{until}"))
    for part in answer.parts:
        _add(tree, part, answer)
    if answer.tracing is not None and answer.tracing_ticks is not None:
        cost = _time(clock, answer.tracing_ticks)
        tree.add(Text(f"of it tracing: at most {cost}, {answer.tracing.events} events"))
    return tree


def _add(tree: Tree, part: Part, answer: Why) -> None:
    share = 100 * part.ticks / answer.ticks if answer.ticks else 0.0
    line = f"{_time(answer.clock, part.ticks):>12}  {share:5.1f} %  {part.label}"
    branch = tree.add(Text(line))
    for inner in part.parts:
        _add(branch, inner, answer)


def _time(clock: Clock, ticks: int) -> str:
    ns = clock.known_ns(ticks)
    return f"{ticks} ticks" if ns is None else duration(ns)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return int(text)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= _MOST_WORST):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {_MOST_WORST}")
    return int(text)
