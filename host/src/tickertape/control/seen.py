"""The latest announcements of a target: HELLO, NAME, STATUS."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tickertape.decode.bodies import BadBodyError, Hello, Name, Status, parse_body
from tickertape.protocol.wire import FrameType

if TYPE_CHECKING:
    from tickertape.decode.frames import Frame
    from tickertape.protocol.wire import ObjectKind

ABOUT_ITSELF: Final = frozenset({FrameType.HELLO, FrameType.STATUS, FrameType.NAME, FrameType.TEXT})
# Targets have some dozen names; a broken target with more must not fill our memory.
_MOST_NAMES: Final = 4096


class Seen:
    """Latest identity, names and counters of a target.

    Attributes:
        hello: latest HELLO, None before the first.
        statuses: latest STATUS by stream and CPU. A STATUS without counters of classes leaves the
            previous ones.
    """

    def __init__(self) -> None:
        """Begin without any frame."""
        self.hello: Hello | None = None
        self.statuses: dict[tuple[int, int], Status] = {}
        self._names: dict[tuple[int, int], Name] = {}
        self._frames: dict[tuple[int, int], Frame] = {}  # HELLO at (0, 0), NAME at (kind, id)

    def take(self, frame: Frame) -> None:
        """Store the contents of a HELLO, STATUS or NAME; a malformed frame is ignored."""
        if frame.type not in ABOUT_ITSELF:
            return
        with suppress(BadBodyError):
            match parse_body(frame):
                case Hello() as hello:
                    if self._is_another_boot(hello):
                        self._names.clear()
                        self._frames.clear()
                        self.statuses.clear()
                    self.hello = hello
                    self._frames[0, 0] = frame
                case Name() as name if len(self._names) < _MOST_NAMES:
                    self._names[name.kind, name.id] = name
                    self._frames[name.kind, name.id] = frame
                case Status() as status:
                    known = self.statuses.get((frame.stream, frame.cpu))
                    if known is not None and not status.classes:
                        status = replace(status, classes=known.classes)
                    self.statuses[frame.stream, frame.cpu] = status

    def _is_another_boot(self, hello: Hello) -> bool:
        before = self.hello
        return before is not None and (
            hello.boot_id != before.boot_id or hello.ticks < before.ticks
        )

    def rings_are_known(self, stream: int) -> bool:
        """Return whether the counters of every ring and class of a stream have arrived."""
        return self.hello is not None and all(
            (stream, cpu) in self.statuses and self.statuses[stream, cpu].classes
            for cpu in range(self.hello.cpu_count)
        )

    def numbers(self, kind: ObjectKind, name: str) -> list[int]:
        """Return the ids of the objects of this kind and name."""
        return [
            known.id for known in self._names.values() if known.kind == kind and known.text == name
        ]

    def introduction(self) -> list[Frame]:
        """Return the frames that introduce the target to a new caller: HELLO and names."""
        first = [self._frames[0, 0]] if (0, 0) in self._frames else []
        return first + [frame for key, frame in self._frames.items() if key != (0, 0)]
