"""Share a link while it is being captured."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from tickertape.broker.outbox import DEFAULT_MOST_BYTES
from tickertape.broker.server import ControlServer
from tickertape.protocol.wire import MAX_STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tickertape.broker.place import Place
    from tickertape.decode.frames import Frame
    from tickertape.link.base import Link

_EVERY_STREAM: Final = (1 << MAX_STREAMS) - 1


@contextmanager
def sharing(
    link: Link,
    place: Place,
    *,
    most_bytes: int = DEFAULT_MOST_BYTES,
    on_ready: Callable[[list[str]], None] | None = None,
) -> Iterator[Callable[[Frame], None]]:
    """Share a link whose bytes another thread reads.

    Args:
        link: carries commands as well.
        place: where callers come.
        most_bytes: of records that wait for a caller; what it does not take in time is lost for it,
            and counted.
        on_ready: called with the addresses for callers, when they can connect.

    Yields:
        What has to be called with each frame that comes.

    Raises:
        LinkError: the link carries no commands, or the path cannot be listened at.
        UsageError: no socket can have this path.
    """
    listeners = place.listen()
    try:
        server = ControlServer(link, listeners, streams=_EVERY_STREAM, most_bytes=most_bytes)
    except BaseException:
        for listener in listeners:
            listener.close()
        raise
    with server:
        if on_ready is not None:
            on_ready([listener.address for listener in listeners])
        yield server.take
