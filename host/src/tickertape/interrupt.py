"""Print one line at Ctrl-C while a command is still being loaded."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found] # `signal` loads more modules first
import os

INTERRUPTED = 130  # 128 + SIGINT, as shells have it
_LINE = b"tickertape: interrupted; start again\n"


def leave_at_once(*_signal: object) -> None:
    """End the process with one line.

    An exception would be printed with a traceback where Python ignores it, for instance in a
    callback of an import.
    """
    os.write(2, _LINE)
    os._exit(INTERRUPTED)


def begin_loading() -> None:
    """Let Ctrl-C end the process, unless the program that started it has turned Ctrl-C off."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, leave_at_once)


def end_loading() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again: from here on a command ends in order."""
    if signal.getsignal(signal.SIGINT) is leave_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)
