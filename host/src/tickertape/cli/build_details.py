"""The output of `tickertape --version`: all that a bug report needs."""

from __future__ import annotations

import platform

import numpy as np

from tickertape._native.engine import engine
from tickertape.errors import TickertapeError
from tickertape.protocol.wire import PROTOCOL_MAJOR, PROTOCOL_MINOR, TAPE_MAJOR, TAPE_MINOR
from tickertape.version import __version__


def details() -> str:
    """Return the versions of the program, its formats, Python and numpy, in three lines."""
    try:
        compiled = "yes" if engine() is not None else "no"
    except TickertapeError:
        compiled = "of other sources"
    return (
        f"tickertape {__version__}\n"
        f"protocol {PROTOCOL_MAJOR}.{PROTOCOL_MINOR}, tape {TAPE_MAJOR}.{TAPE_MINOR}, "
        f"compiled part: {compiled}\n"
        f"Python {platform.python_version()}, numpy {np.__version__}, "
        f"{platform.system()} {platform.machine()}"
    )
