"""A link to the rings of a target: the host does the work of the target's drain.

It makes the frames that the target would send: HELLO, a STATUS for each ring, the buffers with
their receipts, and the last STATUS. The rest of the host reads them as any link brings them.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from tickertape.decode.frames import encode_frame
from tickertape.errors import ForeignFile, LinkError
from tickertape.formats.image.memory import MemoryImage
from tickertape.formats.image.recover import hello_of
from tickertape.link.base import LiveLink
from tickertape.probe.ring import Place, ProbedRing, ResetNoticedError, UnreachableError
from tickertape.protocol.wire import FrameType

if TYPE_CHECKING:
    from tickertape.formats.image.recorder import Recorder
    from tickertape.link.target_memory import Memory
    from tickertape.symbols.variables import Variable

_PAUSE_S: Final = 0.001
_PATIENCE_S: Final = 10.0
_OPEN_S: Final = 0.25  # a buffer stays open so long at least before the probe asks for it
_NEVER_STARTED: Final = 1  # `starts` of a stream after tt_init()
_BOOT_TAG_LIMIT: Final = 256


class LiveMemory(MemoryImage):
    """The memory of a target as an image that is read at each access."""

    def __init__(self, memory: Memory) -> None:
        """Take access to a memory."""
        super().__init__([])
        self._memory = memory

    def read(self, address: int, count: int) -> bytes | None:
        """Return `count` bytes; None where memory cannot be read."""
        data = self._memory.read(address, count)
        return data if len(data) == count else None


class ProbeLink(LiveLink):
    """Drains the rings of a target. Meets `link.base.Link` and `link.base.Remarking`."""

    def __init__(self, memory: Memory, recorder: Recorder, name: str) -> None:
        """Take over access to a memory.

        Args:
            memory: of the target, by its addresses.
            recorder: of the firmware that runs.
            name: of the link, for people.

        Raises:
            FirmwareError: the firmware was built without TT_CONFIG_PROBE.
        """
        super().__init__(name)
        self._memory = memory
        self._image = LiveMemory(memory)
        self._recorder = recorder
        self._rings_at = recorder.variable("ring.c", "tt_rings")
        self._streams_at = recorder.variable("ring.c", "tt_streams")
        self._stream_count, self._cpu_count, _, self._buffer_records = recorder.shape
        self._rings: list[ProbedRing] = []
        self._final_of_start: dict[int, int] = {}
        self._ready = b""
        self._sequence = 0
        self._boot_tag = 0
        self._is_checked = False
        self._asked_s = 0.0
        self._looked_s = 0.0
        self._missed_looks = 0
        self._boots = 0

    @property
    def at_end(self) -> bool:
        """True once the target is gone and all was read."""
        return self._memory.at_end and not self._ready

    def check_image(self) -> None:
        """Compare the target with the ELF file, as far as its memory can be read now.

        Raises:
            LinkError: the target runs another firmware.
        """
        with self._memory.access():
            self._check()

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return frames of what the rings hold; see `Link.read`.

        Raises:
            LinkError: the target runs another firmware, does not lend its buffers, or has a policy
                that a probe cannot serve.
        """
        deadline = time.monotonic() + timeout_s
        while not self._ready and not self._memory.at_end:
            self._look()
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                break
            if not self._ready:
                time.sleep(min(_PAUSE_S, left_s))
        out, self._ready = self._ready[:max_bytes], self._ready[max_bytes:]
        return out

    def write(self, data: bytes) -> None:  # noqa: ARG002 - part of Link
        """Refuse: commands go to the drain, by a link.

        Raises:
            LinkError: always.
        """
        raise LinkError(
            f"{self.name} cannot carry commands to the target", "control the target by a link"
        )

    def remarks(self) -> list[str]:
        """Return remarks about resets, and about times when memory could not be read."""
        remarks = []
        if self._boots > 1:
            remarks.append(
                f"{self.name}: the target was reset {self._boots - 1} times; records that no probe "
                "had read then are lost, their number is unknown"
            )
        if self._missed_looks:
            remarks.append(
                f"{self.name}: memory could not be read {self._missed_looks} times (sleep or reset)"
            )
        return remarks

    def close(self) -> None:
        """Give the buffers back to the target's drain, then the memory. May be called twice."""
        if not self._memory.at_end and self._asked_s:
            try:
                with self._memory.access():
                    self._ask(wanted=False)
            except (LinkError, UnreachableError):
                pass  # the probe was pulled out; docs/probe.md has what follows
        self._asked_s = 0.0
        self._memory.close()

    def _look(self) -> None:
        """Take everything out of the rings once."""
        with self._memory.access():
            try:
                if not self._rings and not self._begin():
                    return
                self._drain()
            except ResetNoticedError:
                self._rings = []
                self._asked_s = 0.0
                self._is_checked = False
            except UnreachableError:
                self._missed_looks += not self._memory.at_end

    def _begin(self) -> bool:
        """Take the drain's place; False while the target has not lent its buffers."""
        self._check()
        try:
            self._recorder.target(self._image)
        except ForeignFile:  # before tt_init()
            return False
        if not self._asked_s:
            self._ask(wanted=True)
            self._asked_s = time.monotonic()
        if not all(stream["lent"] for stream in self._streams()):
            if time.monotonic() - self._asked_s > _PATIENCE_S:
                raise LinkError(
                    "the target does not lend its buffers: its drain has not come to the end of a "
                    f"buffer for {_PATIENCE_S:.0f} s",
                    "call tt_drain_step() in a thread; read the link on which it waits",
                )
            return False
        kind = self._rings_at.type.element
        ring = None if kind is None else kind.element
        if ring is None:
            raise ResetNoticedError
        self._rings = [
            ProbedRing(self._memory, self._place(index, ring.size_bytes), ring)
            for index in range(self._stream_count * self._cpu_count)
        ]
        hello = hello_of(self._image, self._recorder)
        self._boot_tag = self._recorder.target(self._image).boot_id % _BOOT_TAG_LIMIT
        self._sequence = 0
        self._boots += 1
        self._final_of_start = {}
        self._frame(FrameType.HELLO, hello)
        for each in self._rings:
            self._frame(FrameType.STATUS, each.first_status(), each.place)
        return True

    def _check(self) -> None:
        """Refuse a target that runs another image than the ELF file."""
        if self._is_checked:
            return
        place = self._recorder.contradicts(self._image)
        if place is not None:
            raise LinkError(
                f"the target runs another firmware: at {place:#x} it differs from the ELF file",
                "give the ELF file that was flashed",
            )
        self._is_checked = True

    def _drain(self) -> None:
        """Send all that is full, then the last STATUS of rings at rest."""
        streams = self._streams()
        for ring in self._rings:
            for body in ring.take():
                self._frame(FrameType.BUFFER, body, ring.place)
        now_s = time.monotonic()
        if now_s - self._looked_s >= _OPEN_S:
            self._looked_s = now_s
            for ring in self._rings:
                ring.ask_to_close()
        if all(stream["starts"] <= _NEVER_STARTED for stream in streams):
            return
        for index, ring in enumerate(self._rings):
            stream = streams[ring.place.stream]
            if self._final_of_start.get(index) == stream["starts"]:
                continue
            ticks = max(each.ticks for each in self._rings)
            status = ring.final_status(ticks, stopped=not stream["running"])
            if status is not None:
                self._final_of_start[index] = stream["starts"]
                self._frame(FrameType.STATUS, status, ring.place)

    def _place(self, index: int, ring_bytes: int) -> Place:
        stream, cpu = divmod(index, self._cpu_count)
        return Place(
            stream,
            cpu,
            self._rings_at.address + index * ring_bytes,
            self._recorder.records_of(index),
            self._buffer_records,
        )

    def _streams(self) -> list[dict[str, Any]]:
        data = self._memory.read(self._streams_at.address, self._streams_at.type.size_bytes)
        if len(data) < self._streams_at.type.size_bytes:
            raise UnreachableError
        values: Any = self._streams_at.type.values(data)
        return list(values)

    def _ask(self, *, wanted: bool) -> None:
        """Ask the drain for the buffers of all streams, or give them back."""
        for place in _places(self._streams_at, "asked"):
            self._memory.write(place, bytes([wanted]))

    def _frame(self, kind: FrameType, body: bytes, place: Place | None = None) -> None:
        stream, cpu = (0, 0) if place is None else (place.stream, place.cpu)
        self._ready += encode_frame(
            kind, self._sequence, body, stream=stream, cpu=cpu, boot_tag=self._boot_tag
        )
        self._sequence += 1


def _places(variable: Variable, member: str) -> list[int]:
    """Return the addresses of a member of the structs in an array."""
    kind = variable.type.element
    if kind is None or kind.members is None:
        raise ResetNoticedError
    offset = kind.members[member][0]
    return [variable.address + i * kind.size_bytes + offset for i in range(variable.type.count)]
