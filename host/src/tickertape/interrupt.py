"""Print one line at Ctrl-C while a command is still being loaded."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found] # `signal` loads more modules first
import os

INTERRUPTED = 130  # 128 + SIGINT, the convention of shells
_LINE = b"tickertape: interrupted; start again\n"


def leave_at_once(*_signal: object) -> None:
    """Print one line and end the process.

    Raising an exception is not enough: in some places, such as a callback of an import, Python
    ignores the exception and prints its traceback.
    """
    os.write(2, _LINE)
    os._exit(INTERRUPTED)


def begin_loading() -> None:
    """Make Ctrl-C end the process at once, unless the parent process has disabled Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, leave_at_once)


def end_loading() -> None:
    """Make Ctrl-C raise KeyboardInterrupt again: from now on a command handles it."""
    if signal.getsignal(signal.SIGINT) is leave_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)
