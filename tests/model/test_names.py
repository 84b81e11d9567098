"""Priority of names: first those of the target, then of the ELF file, then predefined ones."""

from __future__ import annotations

from tickertape.decode.bodies import Name
from tickertape.model.names import Names
from tickertape.protocol.wire import ObjectKind
from tickertape.symbols.elf import Symbols
from tickertape.symbols.symbol import Symbol


def frame(kind: ObjectKind, number: int, text: str) -> tuple[tuple[int, int], Name]:
    return (kind, number), Name(kind, 0, 0, 0, number, 0, text)


def test_what_everybody_knows() -> None:
    names = Names({})
    assert names.thread(0) == "idle"
    assert names.thread(1) is None
    assert (names.interrupt(11), names.interrupt(15), names.interrupt(24)) == (
        "SVCall",
        "SysTick",
        "irq8",
    )
    assert names.interrupt(12) == "DebugMonitor"
    assert names.interrupt(1) is None
    assert names.object(0x2000_0000) is None
    assert names.code(0x100) is None


def test_the_target_counts_more_than_the_elf_file() -> None:
    symbols = Symbols([Symbol(0x2000_0000, 8, "bus"), Symbol(0x100, 0x20, "main")])
    said = dict(
        [
            frame(ObjectKind.THREAD, 3, "motor"),
            frame(ObjectKind.IRQ, 24, "uart"),
            frame(ObjectKind.MUTEX, 0x2000_0000, "the bus"),
            frame(ObjectKind.EVENT, 0x2000_0010, "no object"),
        ]
    )
    names = Names(said, symbols)
    assert names.thread(3) == "motor"
    assert names.interrupt(24) == "uart"
    assert names.object(0x2000_0000) == "the bus"
    assert names.object(0x2000_0004) == "bus+0x4"
    assert names.object(0x2000_0010) is None
    assert names.code(0x102) == "main+0x2"
    names.learn_thread(3, "rotor")
    assert names.thread(3) == "rotor"


def test_an_address_for_a_name_of_a_thread_is_that_of_the_elf_file() -> None:
    """A Zephyr thread without a name has its address as its number and as its name."""
    pool = Symbols([Symbol(0x2000_0200, 432, "pool")])
    names = Names(dict([frame(ObjectKind.THREAD, 0x2000_0200, "0x20000200")]), pool)
    names.learn_thread(0x2000_02D8, "0x200002d8")
    names.learn_thread(0x2000_0300, "0x20000200")
    assert names.threads() == {
        0: "idle",
        0x2000_0200: "pool",
        0x2000_02D8: "pool+0xd8",
        0x2000_0300: "0x20000200",  # a real name that looks like an address
    }
    assert [names.is_unnamed(tid) for tid in (0x2000_0200, 0x2000_0300)] == [True, False]
    names.learn_thread(0x2000_0200, "motor")
    assert (names.thread(0x2000_0200), names.is_unnamed(0x2000_0200)) == ("motor", False)
    assert Names({}).has_code is False
