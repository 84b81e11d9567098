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
        link: a link that carries commands to the target.
        place: addresses to listen at.
        most_bytes: size limit of the records queued for a caller, in bytes; records beyond are
            discarded for this caller and counted.
        on_ready: called with the addresses of the listeners once callers can connect.

    Yields:
        A function; the reader of the link calls it with each frame.

    Raises:
        LinkError: the link carries no commands, or no socket can be made there.
        UsageError: the path is too long for a socket.
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
