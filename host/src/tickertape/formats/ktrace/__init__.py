"""Kernel trace facility of RTL-POSIX-Trace: writer of Kiwi display files and of a text."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tickertape.formats.registry import Conversion, Option, number

EXPORTS: Final = {
    "ktrace": Conversion(
        "ktrace.write:export_ktrace",
        "what the kernel did: a display file of Kiwi, and a text",
        "{events} system events of stream {stream:d} on {lines:d} lines",
        notes={
            "lost": "{lost} records are missing",
            "tasks_left_out": "no line was left for {tasks_left_out:d} tasks",
            "undrawn": "the picture has no room for the last {undrawn} of its events",
            "cut": "what is later than 9 999 s is left out",
            "more_boots": "{more_boots:d} more boots: choose with --boot",
        },
        options=(
            Option("--dbg", "the text (default: beside it, X.dbg)", "X.dbg", parse=Path),
            Option("--svg", "draw the display", "X.svg", parse=Path),
            Option(
                "--stream",
                "which stream (default: the one called rtl_ktrace, else 0)",
                "N",
                parse=number,
            ),
            Option("--boot", "which boot of the target, from 0", "N", default=0, parse=number),
        ),
        output=("X.tra", "the display file"),
    )
}
