"""Finds the recorder of a firmware in an image of its memory, with the firmware's ELF file."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from tickertape.errors import FirmwareError, ForeignFile
from tickertape.formats.image.memory import read_constants
from tickertape.formats.image.ring import Held, RingPlace, RingUnclearError, read_ring
from tickertape.symbols.elf import read_symbols
from tickertape.symbols.variables import Variables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tickertape.formats.image.memory import MemoryImage
    from tickertape.formats.image.ring import RingState
    from tickertape.symbols.variables import Variable

_FILES: Final = ("ring.c", "target.c", "send.c", "drain.c", "names.c", "record.c", "combine.c")
_STORE: Final = "tt_record_store"
_NEVER_IN_BETWEEN: Final = (0, 11, 14, 15)
"""Exception numbers: thread, SVCall, PendSV, SysTick. None of these interrupts the store of a
record, because interrupts are masked meanwhile. A fault, an NMI and a fast interrupt can."""
_RECORD_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class FoundRing:
    """A ring in the image.

    Attributes:
        stream: number of the stream.
        cpu: number of the CPU.
        policy: number of a wire.Policy.
        running: whether the stream records.
        high_water_buffers: largest number of buffers in use so far.
        state: contents of the ring; None when unknown.
        unclear: why the contents are unknown; empty otherwise.
        proven: whether the newest record is known to be complete.
    """

    stream: int
    cpu: int
    policy: int
    running: bool
    high_water_buffers: int
    state: RingState | None
    unclear: str
    proven: bool


@dataclass(frozen=True, slots=True)
class FoundTarget:
    """Facts about the target that the firmware gave to tt_init()."""

    name: str
    tick_hz: int
    boot_id: int
    build_id: bytes


class Recorder:
    """Layout of the recorder in one firmware.

    Attributes:
        order: byte order of the target, "little" or "big".
        build_id: build ID of the ELF file; empty when it has none.
    """

    def __init__(self, elf: Path) -> None:
        """Read the ELF file of a firmware.

        Raises:
            FirmwareError: the file is not an ELF file, or has no debug information or recorder.
        """
        self._elf = elf
        self._variables = Variables.read(elf, _FILES)
        self.order = self._variables.order
        self.build_id = read_symbols(elf).build_id
        self._constants = read_constants(elf)
        self._rings = self.variable("ring.c", "tt_rings")
        self._streams = self.variable("ring.c", "tt_streams")
        self._target = self.variable("target.c", "the_target")

    def contradicts(self, image: MemoryImage) -> int | None:
        """Return the first address at which an image differs from the read-only sections.

        Returns None without a difference. Only memory that the image contains is compared.
        """
        for address, data in self._constants.pieces:
            found = image.read(address, len(data))
            if found is not None and found != data:
                pairs = zip(found, data, strict=True)
                return address + next(i for i, (one, two) in enumerate(pairs) if one != two)
        return None

    @property
    def serves_probes(self) -> bool:
        """Whether the firmware was built with TT_CONFIG_PROBE."""
        return self._variables.get("ring.c", "tt_probe") is not None

    def announced(self, image: MemoryImage) -> tuple[int, int]:
        """Return event-list hash and flags of the HELLO; zeros without TT_CONFIG_PROBE."""
        probe = self._variables.get("ring.c", "tt_probe")
        if probe is None:
            return 0, 0
        values: Any = self._value(image, probe)
        return values["dictionary"], values["hello_flags"]

    def records_of(self, index: int) -> int:
        """Return the address of a ring's records; `index` counts all CPUs of stream 0 first."""
        return self._records(index)

    def target(self, image: MemoryImage) -> FoundTarget:
        """Return the target that the firmware gave to tt_init().

        Raises:
            ForeignFile: the recorder was not initialised, or the image is of another firmware.
        """
        pointer = self._value(image, self._target)
        if pointer == 0:
            raise ForeignFile(
                "the recorder in this image is not initialised", "save the RAM after tt_init()"
            )
        kind = self._variables.pointed("target.c", "the_target")
        data = None if kind is None else self._read(image, pointer, kind.size_bytes)
        if kind is None or data is None:
            raise self._foreign()
        values: Any = kind.values(data)
        name, build = values["name"], values["build_id"]
        return FoundTarget(
            ((self._text(image, name) or b"") if name else b"").decode(errors="replace"),
            values["tick_hz"],
            values["boot_id"],
            (self._read(image, build, 20) or b"") if build else b"",
        )

    def rings(self, image: MemoryImage) -> Iterator[FoundRing]:
        """Yield the rings, all CPUs of stream 0 first.

        Raises:
            ForeignFile: the image does not contain the rings, or is of another firmware.
        """
        rings: Any = self._value(image, self._rings)
        streams: Any = self._value(image, self._streams)
        cpus = len(rings[0])
        for index in range(len(rings) * cpus):
            stream, cpu = divmod(index, cpus)
            values = rings[stream][cpu]
            place = self._place(image, index)
            if values["records"] != self._records(index):
                raise self._foreign()
            state, unclear = None, ""
            try:
                state = self._whole(image, read_ring(values, place, partial(_record, image)))
            except RingUnclearError as error:
                unclear = str(error)
            yield FoundRing(
                stream=stream,
                cpu=cpu,
                policy=values["policy"],
                running=bool(streams[stream]["running"]),
                high_water_buffers=values["high_water_buffers"],
                state=state,
                unclear=unclear,
                proven=self._is_proven(image, cpu),
            )

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Number of streams, CPUs, buffers per ring and records per buffer."""
        streams = self._rings.type
        cpus = streams.element
        ring = cpus.element if cpus is not None else None
        if cpus is None or ring is None or ring.members is None:
            raise self._unknown("tt_rings")
        buffers = ring.members["buffers"][1].count
        return streams.count, cpus.count, buffers, self._ring_records() // buffers

    def may_store(self, pc: int) -> bool:
        """Return whether a CPU halted at this address may have stored only part of a record."""
        stores = self._variables.code.get(_STORE)
        return not stores or any(low <= pc < high for low, high in stores)

    def _is_proven(self, image: MemoryImage, cpu: int) -> bool:
        """Return whether a CPU is known not to be writing a record."""
        if cpu >= len(image.cpus):
            return False
        at = image.cpus[cpu]
        return not self.may_store(at.pc) and at.exception in _NEVER_IN_BETWEEN

    def _whole(self, image: MemoryImage, state: RingState) -> RingState:
        """Mark buffers whose records the drain may have changed as lost."""
        packs = self._packs(image)
        slices = self._drain() is not None

        def marked(held: Held) -> Held:
            settled = held.sending and slices and not self._is_part(image, held)
            straightening = held.sending and len(held.parts) > 1
            lost = held.sending and (packs or settled or straightening)
            return replace(held, lost=lost)

        return replace(state, held=tuple(map(marked, state.held)))

    def _packs(self, image: MemoryImage) -> bool:
        packing = self._variables.get("send.c", "packing")
        return packing is not None and bool(self._value(image, packing))

    def _drain(self) -> Variable | None:
        drain = self._variables.get("drain.c", "drain")
        return drain if drain is not None and "ticks" in (drain.type.members or {}) else None

    def _is_part(self, image: MemoryImage, held: Held) -> bool:
        drain = self._drain()
        values: Any = None if drain is None else self._value(image, drain)
        if values is None or not values["buffer"]:  # the descriptor may be only partly updated
            return False
        return bool(values["records"] == held.parts[0][0])

    def _place(self, image: MemoryImage, index: int) -> RingPlace:
        streams = self._rings.type
        cpus = streams.element
        ring = cpus.element if cpus is not None else None
        members = ring.members if ring is not None else None
        if ring is None or members is None:
            raise self._unknown("tt_rings")
        offset, buffers = members["buffers"]
        drain = self._drain()
        values: Any = None if drain is None else self._value(image, drain)
        return RingPlace(
            self._rings.address + index * ring.size_bytes + offset,
            buffers.size_bytes // buffers.count,
            self.shape[3],
            self._packs(image),
            None if values is None else values["buffer"],
            0 if values is None else values["records"],
        )

    def _ring_records(self) -> int:
        """Return the number of records per ring."""
        memory = self.variable("ring.c", "memory").type
        streams, cpus = self._rings.type.count, self._rings.type.element
        rings = streams * (cpus.count if cpus is not None else 1)
        return memory.size_bytes // _RECORD_BYTES // rings

    def _records(self, index: int) -> int:
        memory = self.variable("ring.c", "memory")
        return memory.address + index * self._ring_records() * _RECORD_BYTES

    def _value(self, image: MemoryImage, variable: Variable) -> Any:  # noqa: ANN401 - numbers, lists and structs
        data = image.read(variable.address, variable.type.size_bytes)
        if data is None:
            raise ForeignFile(
                f"the image does not contain the memory at {variable.address:#x}, where the "
                f"recorder of {self._elf} is",
                "save the whole RAM; give --base for raw bytes",
            )
        return variable.type.values(data)

    def _read(self, image: MemoryImage, address: int, count: int) -> bytes | None:
        data = image.read(address, count)
        return self._constants.read(address, count) if data is None else data

    def _text(self, image: MemoryImage, address: int) -> bytes | None:
        text = image.text(address)
        return self._constants.text(address) if text is None else text

    def variable(self, file: str, name: str) -> Variable:
        """Return a variable of the recorder, by the source file that defines it.

        Raises:
            FirmwareError: the ELF file does not describe it.
        """
        found = self._variables.get(file, name)
        if found is None:
            raise self._unknown(name)
        return found

    def _unknown(self, name: str) -> FirmwareError:
        return FirmwareError(
            f"{self._elf} has no debug information of {name}",
            "build the firmware with the recorder and -g",
        )

    def _foreign(self) -> ForeignFile:
        return ForeignFile(
            f"this image is not of the firmware {self._elf}, or the recorder was not initialised",
            "give the ELF file that ran, and for raw bytes the right --base",
        )


def _record(image: MemoryImage, address: int) -> tuple[int, int] | None:
    """Return header and time of a record; None when the image does not contain it."""
    data = image.read(address, _RECORD_BYTES)
    return None if data is None else struct.unpack_from("<II", data)
