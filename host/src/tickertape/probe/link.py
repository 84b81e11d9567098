"""A link to the rings of a target: the host does the work of the target's drain.

The link makes the frames that the target would send: HELLO, a STATUS for each ring, buffers with
their receipts, and the final STATUS. The rest of the host reads them like those of any link.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from tickertape.decode.frames import encode_frame
from tickertape.errors import ForeignFile, LinkError
from tickertape.formats.image.memory import MemoryImage
from tickertape.formats.image.recover import hello_of
from tickertape.link.base import Awaiting, LiveLink
from tickertape.probe.ring import Place, ProbedRing, ResetNoticedError, UnreachableError
from tickertape.protocol.wire import FrameType

if TYPE_CHECKING:
    from tickertape.formats.image.recorder import Recorder
    from tickertape.link.target_memory import Memory
    from tickertape.symbols.variables import Variable

_PAUSE_S: Final = 0.001
_PATIENCE_S: Final = 10.0
_OPEN_S: Final = 0.25  # the probe requests a partly filled buffer after at least this time
_NEVER_STARTED: Final = 1  # value of `starts` of a stream after tt_init()
_BOOT_TAG_LIMIT: Final = 256


class LiveMemory(MemoryImage):
    """A memory image that reads the target's memory at each access."""

    def __init__(self, memory: Memory) -> None:
        """Read from `memory`."""
        super().__init__([])
        self._memory = memory

    def read(self, address: int, count: int) -> bytes | None:
        """Return `count` bytes; None if the memory cannot be read."""
        data = self._memory.read(address, count)
        return data if len(data) == count else None


class ProbeLink(LiveLink):
    """Drains the rings of a target. Implements `link.base.Link` and `link.base.Remarking`."""

    def __init__(self, memory: Memory, recorder: Recorder, name: str) -> None:
        """Take ownership of the access to a memory; nothing is read yet.

        Args:
            memory: memory of the target, by the target's addresses.
            recorder: layout of the recorder in the running firmware, from its ELF file.
            name: name of the link, for messages.

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
        """True once the target is gone and all frames were read."""
        return self._memory.at_end and not self._ready

    def check_image(self) -> None:
        """Compare the target's memory with the ELF file, as far as it can be read now.

        Raises:
            LinkError: the target runs another firmware.
        """
        with self._memory.access():
            self._check()

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Drain the rings and return their frames; see `Link.read`.

        Raises:
            LinkError: the target runs another firmware, does not lend its buffers, or has a policy
                other than DROP and UNTIL_FULL.
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
        """Refuse: only the target's drain executes commands.

        Raises:
            LinkError: always.
        """
        raise LinkError(
            f"{self.name} cannot carry commands to the target", "control the target by a link"
        )

    def end_by(self, end_s: float) -> None:
        """Wait for no answer of a debug probe after this time; see `link.base.Awaiting`."""
        if isinstance(self._memory, Awaiting):
            self._memory.end_by(end_s)

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
        """Return the buffers to the target's drain and release the memory. May be called twice."""
        if not self._memory.at_end and self._asked_s:
            try:
                with self._memory.access():
                    self._ask(wanted=False)
            except (LinkError, UnreachableError):
                pass  # the probe was disconnected; docs/probe.md describes the consequences
        self._asked_s = 0.0
        self._memory.close()

    def _look(self) -> None:
        """Drain all rings once; handle a reset and unreadable memory."""
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
        """Borrow the buffers and send HELLO and STATUS; False until the target has lent them."""
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
                    "the target releases no buffer to the probe: its drain has not finished a "
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
        """Raise LinkError if the target runs another image than the ELF file."""
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
        """Make frames of all full buffers, then the final STATUS of stopped, empty rings."""
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
        """Request the buffers of all streams from the drain, or return them."""
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
