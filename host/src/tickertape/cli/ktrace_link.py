"""Show the actions of a target's kernel while a link delivers the events."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING

from tickertape.cli.print_link import report_problems
from tickertape.collector.live import LiveTape
from tickertape.control import ControlClient
from tickertape.control.channel import SharedChannel
from tickertape.errors import TickertapeError
from tickertape.formats.ktrace.write import STREAM_NAME
from tickertape.link import open_link

if TYPE_CHECKING:
    from collections.abc import Callable

_WAIT_S = 5.0
_PATIENCE_S = 2.0


def follow_link(
    address: str, stream: int | None, follow: Callable[[LiveTape, int | None], None]
) -> int:
    """Follow a stream until the link ends or the user stops it, then report problems.

    Args:
        address: address of the link.
        stream: stream number; None attaches the stream rtl_ktrace if the target has it.
        follow: writes the growing tape; takes the stream number, None if it has to find one.

    Returns:
        The exit code: 0, or that of the worst problem.

    Raises:
        LinkError: the link cannot be opened.
    """
    with closing(open_link(address, wait_s=_WAIT_S)) as link:
        channel = SharedChannel(link)
        with LiveTape(link, on_frame=channel.take) as live:
            client = ControlClient(channel, patience_s=_PATIENCE_S)
            attached = None
            if stream is None and link.live:
                # A target without this stream, or without commands: `follow` finds a stream.
                with suppress(TickertapeError):
                    attached = client.attach(STREAM_NAME)
            follow(live, stream if attached is None else attached)
            if attached is not None:
                with suppress(TickertapeError):
                    client.detach(STREAM_NAME)
            live.close()
    live.require_begun()
    return report_problems(live)
