"""Run a subcommand in this process, for Robot Framework keywords and labgrid drivers."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass

from tickertape.cli.main import main


@dataclass(frozen=True, slots=True)
class Said:
    """Exit code and output of a subcommand.

    Attributes:
        code: the exit code.
        out: standard output, without white space around it.
        complaint: standard error, without white space around it.
    """

    code: int
    out: str
    complaint: str


def command(*words: str) -> Said:
    """Run `tickertape WORDS`; standard output of the process is redirected meanwhile."""
    # The command line expects a standard output with an encoding.
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    return Said(code, *(_text(stream) for stream in (out, err)))


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read().strip()
