"""Names of threads, objects, interrupts and code, as far as known.

Names from the target have priority over names from the ELF file: the target knows the object, the
linker only its address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.model.codes import IDLE_TID
from tickertape.protocol.wire import ObjectKind
from tickertape.text import escaped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.decode.bodies import Name
    from tickertape.symbols.elf import Symbols
    from tickertape.symbols.reading import Reading

# Exceptions of the processor itself (Armv7-M Architecture Reference Manual, B1.5.2).
_EXCEPTIONS: Final = {
    2: "NMI",
    3: "HardFault",
    4: "MemManage",
    5: "BusFault",
    6: "UsageFault",
    7: "SecureFault",
    11: "SVCall",
    12: "DebugMonitor",
    14: "PendSV",
    15: "SysTick",
}
_FIRST_IRQ: Final = 16
_NOT_ADDRESSES: Final = {
    *(ObjectKind.THREAD, ObjectKind.IRQ, ObjectKind.DOMAIN, ObjectKind.EVENT, ObjectKind.STREAM)
}


class Names:
    """Names of one boot; thread names may change while events are read.

    All names are printable, whatever the tape contains; see `printable`.

    Attributes:
        build_id: build ID of the program that ran, hexadecimal; empty if unknown.
        version: increases with every name learned. Text made from names is valid while it stays
            the same.
    """

    def __init__(
        self,
        said: Mapping[tuple[int, int], Name],
        symbols: Symbols | None = None,
        build_id: str = "",
        readings: Mapping[int, Reading] | None = None,
    ) -> None:
        """Start with the known names.

        Args:
            said: names from NAME frames by (object kind, id), as `TapeReader.names`.
            symbols: names of code and objects from the ELF file; None without an ELF file.
            build_id: build ID of the program that ran, hexadecimal; empty if unknown.
            readings: format of a signal's values, by the address of the signal.
        """
        self.build_id = build_id
        self._readings = readings or {}
        self._symbols = symbols
        self._threads = {IDLE_TID: "idle"}
        self._unnamed: set[int] = set()
        self._interrupts = {**(symbols.interrupts if symbols else {}), **_EXCEPTIONS}
        self._objects: dict[int, str] = {}
        self._events: dict[int, str] = {}
        self._domains: dict[int, str] = {}
        self._limits: dict[int, int] = {}
        self.version = 0
        for name in said.values():
            self.learn(name)

    def learn(self, name: Name) -> None:
        """Store the name from a NAME frame."""
        self.version += 1
        text = escaped(name.text)
        if name.kind == ObjectKind.THREAD:
            self._take_thread(name.id, text)
        elif name.kind == ObjectKind.IRQ:
            self._interrupts[name.id] = text
        elif name.kind == ObjectKind.EVENT:
            self._events[name.id] = text
        elif name.kind == ObjectKind.DOMAIN:
            self._domains[name.id] = text
        elif name.kind not in _NOT_ADDRESSES:
            self._objects[name.id] = text
            if name.kind == ObjectKind.SEMAPHORE:
                self._limits[name.id] = name.parent

    def learn_thread(self, tid: int, name: str) -> None:
        """Set the name of thread `tid`."""
        text = escaped(name)
        if self._threads.get(tid) != text or tid in self._unnamed:
            self.version += 1
            self._take_thread(tid, text)

    def forget_thread(self, tid: int) -> None:
        """Forget the name of a thread that has ended: another thread has its number now."""
        self.version += 1
        self._threads.pop(tid, None)
        self._unnamed.discard(tid)

    def _take_thread(self, tid: int, name: str) -> None:
        """Set a thread name; a name that is only the thread's address is looked up in the symbols.

        The target reports the address as the name of a thread without a name.
        """
        if name == f"0x{tid:08x}":
            self._unnamed.add(tid)
            name = self.code(tid) or name
        else:
            self._unnamed.discard(tid)
        self._threads[tid] = name

    def is_unnamed(self, tid: int) -> bool:
        """Return whether the target reported only the address of a thread, no name."""
        return tid in self._unnamed

    @property
    def has_code(self) -> bool:
        """Whether names of code and data are known."""
        return self._symbols is not None

    def thread(self, tid: int) -> str | None:
        """Return the name of a thread; None if unknown."""
        return self._threads.get(tid)

    def threads(self) -> dict[int, str]:
        """Return the current names of all threads, by thread number."""
        return dict(self._threads)

    def interrupt(self, exception: int) -> str | None:
        """Return the name of an exception; `irq3` for an interrupt without a name."""
        name = self._interrupts.get(exception)
        if name is None and exception >= _FIRST_IRQ:
            return f"irq{exception - _FIRST_IRQ}"
        return name

    def addresses(self, name: str) -> tuple[tuple[int, int], ...]:
        """Return the first and last address of all objects and code called `name`."""
        said = [(place, place) for place, text in self._objects.items() if text == name]
        known = [
            (symbol.address, symbol.address + max(symbol.size_bytes, 2) - 1)
            for symbol in self._symbols or ()
            if symbol.is_called(name)
        ]
        return tuple(said + known)

    def object(self, address: int) -> str | None:
        """Return the name of a kernel object; None if unknown."""
        return self._objects.get(address) or self.code(address)

    @property
    def has_readings(self) -> bool:
        """Whether the type of any signal is known, so that `value` can format it."""
        return bool(self._readings)

    def value(self, signal: int, word: int) -> str | None:
        """Return the value of a signal as its type is printed; None if the type is unknown."""
        reading = self._readings.get(signal)
        return None if reading is None else escaped(reading.text(word))

    def domain(self, number: int) -> str | None:
        """Return the name of a domain; None if unknown."""
        return self._domains.get(number)

    def event(self, code: int) -> str | None:
        """Return the target's name for an event type, class << 10 | event; None if unknown."""
        return self._events.get(code)

    def place(self, address: int) -> str | None:
        """Return the name of an address, always with the offset: `name+0x10`; None if unknown."""
        return self._symbols.place(address) if self._symbols is not None else None

    def limit(self, semaphore: int) -> int:
        """Return the limit of a semaphore; 0 if unknown."""
        return self._limits.get(semaphore, 0)

    def constant(self, address: int) -> str | None:
        """Return the text at an address in read-only data; None if unknown."""
        return self._symbols.constant(address) if self._symbols is not None else None

    def code(self, address: int) -> str | None:
        """Return the name of an address in code or data; None if unknown."""
        return self._symbols.lookup(address) if self._symbols is not None else None
