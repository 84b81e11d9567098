"""Print the events of a link while they arrive."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from tickertape.cli.output import complain
from tickertape.collector.live import LiveTape
from tickertape.link import open_link

if TYPE_CHECKING:
    from collections.abc import Callable

_WAIT_S = 5.0


def print_link(address: str, write: Callable[[LiveTape], None]) -> int:
    """Print until the link ends or the user stops it, then report problems.

    Args:
        address: address of the link.
        write: prints the events of the growing tape.

    Returns:
        The exit code: 0, or that of the worst problem.

    Raises:
        LinkError: the link cannot be opened.
    """
    with closing(open_link(address, wait_s=_WAIT_S)) as link, LiveTape(link) as live:
        write(live)
        live.close()
    return report_problems(live)


def report_problems(live: LiveTape) -> int:
    """Report the problems of a capture that has ended; return the exit code."""
    problems = live.result.problems if live.result is not None else ()
    for problem in problems:
        complain(problem)
    return problems[0].exit_code if problems else 0
