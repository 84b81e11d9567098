"""Show long output on a terminal in a pager, as git does."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEFAULT = "less"
# As git sets it: exit if the output fits one screen, keep colours and the screen's content.
_LESS = "FRX"


def wants_pager() -> bool:
    """Return whether standard output is a terminal that can be paged."""
    return sys.stdout.isatty() and sys.stdin.isatty() and os.environ.get("TERM", "dumb") != "dumb"


@contextmanager
def pager() -> Iterator[IO[str]]:
    """Yield a stream that is shown page by page; standard output if there is no pager.

    The pager is `$TICKERTAPE_PAGER`, else `$PAGER`, else `less`. `cat` and an empty value mean no
    pager.
    """
    wanted = os.environ.get("TICKERTAPE_PAGER", os.environ.get("PAGER", _DEFAULT))
    words = shlex.split(wanted)
    if not words or words == ["cat"] or shutil.which(words[0]) is None:
        yield sys.stdout
        return
    import subprocess  # noqa: PLC0415 - no other part of `print` starts a process

    environment = {"LESS": _LESS, "LV": "-c", **os.environ}
    with subprocess.Popen(words, stdin=subprocess.PIPE, text=True, env=environment) as process:
        stream = process.stdin
        assert stream is not None  # noqa: S101 - a pipe
        try:
            yield stream
        except BrokenPipeError:
            pass  # the user has left the pager
        finally:
            with suppress(BrokenPipeError):
                stream.close()
            # The pager handles Ctrl-C until it exits.
            while process.poll() is None:
                with suppress(KeyboardInterrupt):
                    process.wait()
