"""Formatted messages, also damaged ones (model/messages.py)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tickertape.decode.events import Event
from tickertape.errors import FirmwareError
from tickertape.model.messages import Argument, format_message, message_of, without_format
from tickertape.model.names import Names
from tickertape.protocol.events import EventClass, SystemEvent
from tickertape.symbols.elf import Symbols, read_symbols
from tickertape.symbols.symbol import Symbol

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = 0x8000


def event_of(payload: bytes, *, simple: bool = False, order: str = "<") -> Event:
    words = struct.unpack(f"{order}{len(payload) // 4}I", payload[: len(payload) // 4 * 4])
    return Event(
        time_ticks=0,
        epoch=0,
        stream=0,
        cpu=0,
        cls=EventClass.SYSTEM,
        event=SystemEvent.LOG,
        domain=0,
        truncated=False,
        host=False,
        ordinal=0,
        words=words,
        payload=None if simple else payload,
    )


def names_with(constants: bytes) -> Names:
    return Names({}, Symbols((), constants=[(FORMATS, constants)]), "ab" * 20)


@pytest.mark.parametrize(
    ("pattern", "arguments", "text"),
    [
        ("%d", (Argument(0xFFFFFFFF, 32),), "-1"),
        ("%lld", (Argument(0xFFFFFFFFFFFFFFFF, 64),), "-1"),
        ("%#o %#x", (Argument(8, 32), Argument(8, 32)), "010 0x8"),
        ("%f", (Argument(1, 32),), "<?>"),
        ("%d", (Argument("text", 0),), "<?>"),
        ("%s", (Argument(1, 32),), "<?>"),
        ("%d %d", (Argument(1, 32),), "1 <?>"),
        ("%n%Q", (Argument(1, 32), Argument(1, 32)), "<?><?>"),
        ("100%% or 100% %", (), "100% or 100%"),
        ("%999999999d", (Argument(1, 32),), " " * 254 + "1"),
        ("%.*s", (Argument(2, 32), Argument("abc", 0)), "ab"),
    ],
)
def test_conversions(pattern: str, arguments: tuple[Argument, ...], text: str) -> None:
    assert format_message(pattern, arguments) == text


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_payload_with_types_in_both_byte_orders(order: str) -> None:
    payload = struct.pack(f"{order}II", FORMATS | 1, 0x54321)
    payload += struct.pack(f"{order}IqdI", 7, -2, 2.5, 5) + b"motor\0\0\0"
    payload += struct.pack(f"{order}I", FORMATS + 20)
    names = names_with(b"%u %lld %g %s %s\0".ljust(20, b"\0") + b"idle\0")
    message = message_of(event_of(payload, order=order), names)
    assert message.arguments == (7, (1 << 64) - 2, 2.5, "motor", "idle")
    assert message.text == "7 -2 2.5 motor idle"


def test_without_the_file_the_address_and_the_build_are_shown() -> None:
    message = message_of(event_of(struct.pack("<II", FORMATS, 9), simple=True), Names({}))
    assert message.text is None
    shown = without_format(message, "ab" * 20)
    assert shown.startswith(
        "format=0x00008000 9 (its text is in the ELF file of build abababababab"
    )


@given(st.binary(max_size=60), st.binary(max_size=40), st.integers(0, 1))
def test_nothing_in_a_tape_or_file_breaks_it(payload: bytes, constants: bytes, typed: int) -> None:
    event = event_of(struct.pack("<I", FORMATS | typed) + payload)
    message = message_of(event, names_with(constants + b"\0"))
    assert message.text is not None
    assert without_format(message, "")


@given(
    st.text(alphabet="%*.-+ #0123459hljztLdiuoxXcspfeEgGaAnQ", max_size=30),
    st.lists(
        st.one_of(
            st.builds(Argument, st.integers(0, (1 << 32) - 1), st.just(32)),
            st.builds(Argument, st.integers(0, (1 << 64) - 1), st.just(64)),
            st.builds(Argument, st.floats(), st.just(0)),
            st.builds(Argument, st.text(max_size=5), st.just(0)),
        ),
        max_size=8,
    ),
)
def test_no_format_breaks_it(pattern: str, arguments: list[Argument]) -> None:
    assert len(format_message(pattern, tuple(arguments))) < 30 * 700


@example(changes=[(225, 0)])
@example(changes=[(225, 2)])
@given(changes=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6))
def test_a_damaged_elf_file_is_read_or_refused(
    changes: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "damaged.elf"
    content = bytearray(_ELF)
    for at, value in changes:
        content[at % len(content)] = value
    path.write_bytes(content)
    try:
        symbols = read_symbols(path)
    except FirmwareError:
        return
    symbols.constant(FORMATS)


def _elf() -> bytes:
    """Return an ELF file with one section of constants, a symbol table and the symbol names."""
    names = b"\0.rodata\0.symtab\0.strtab\0format\0"
    constants = b"n=%d\0"
    table = bytes(16) + struct.pack("<IIIBBH", names.index(b"format"), FORMATS, 5, 0x11, 0, 1)
    begin = 52
    sections = [(0, 0, 0, 0, b"", 0, 0)]
    sections.append((names.index(b".rodata"), 1, 2, FORMATS, constants, 0, 0))
    sections.append((names.index(b".symtab"), 2, 0, 0, table, 3, 16))
    sections.append((names.index(b".strtab"), 3, 0, 0, names, 0, 0))
    body, headers = b"", b""
    for name, kind, flags, address, content, link, size in sections:
        place = begin + len(body) if content else 0
        headers += struct.pack(
            "<10I", name, kind, flags, address, place, len(content), link, 1, 1, size
        )
        body += content
    head = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)
    head += struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, 0, 0, begin + len(body), 0, 52, 0, 0, 40, 4, 3)
    return head + body + headers


_ELF = _elf()


SOURCE = Symbols(
    [Symbol(0x9000, 8, "log_const_motor", "R"), Symbol(0x9008, 4, "log_const_", "R")],
    constants=[(FORMATS, b"%u %lld %d %.1f %s\0odd %*d\0")],
)


@pytest.mark.parametrize("order", ["<", ">"])
def test_arguments_of_zephyr_are_a_variable_argument_list(order: str) -> None:
    """A 64-bit argument begins at an even word; the last word contains module and level."""
    payload = struct.pack(f"{order}IIIq", FORMATS, 7, 0, -2)
    payload += struct.pack(f"{order}IIdI", 3, 0, 2.5, FORMATS + 19)
    payload += struct.pack(f"{order}I", 0x9000 | 2)
    message = message_of(event_of(payload, order=order), Names({}, SOURCE))
    assert message.arguments == (7, (1 << 64) - 2, 3, 2.5, "odd %*d")
    assert message.text == "<inf> motor: 7 -2 3 2.5 odd %*d"


@pytest.mark.parametrize(("source", "prefix"), [(0x9000, "<err> motor: "), (0x9008, "")])
def test_a_format_of_zephyr_may_lie_at_an_odd_address(source: int, prefix: str) -> None:
    words = (FORMATS + 18, 4, 9, source | 1 << 31)
    message = message_of(event_of(struct.pack("<4I", *words)), Names({}, SOURCE))
    assert (message.text, message.arguments) == (f"{prefix}odd    9", (4, 9))


def test_a_message_of_zephyr_with_types_and_one_without_arguments() -> None:
    names = Names({}, SOURCE)
    typed = struct.pack("<4I", FORMATS + 18 | 1, 0x11, 3, 8) + struct.pack("<I", 0x9003 | 1 << 31)
    assert message_of(event_of(typed), names).text == "<dbg> motor: odd   8"
    simple = struct.pack("<2I", FORMATS, 0x9000)
    assert message_of(event_of(simple, simple=True), names).arguments == ()


@given(st.lists(st.integers(0, 0xFFFFFFFF), max_size=9), st.booleans())
def test_a_cut_message_of_zephyr_is_read_as_far_as_it_goes(words: list[int], is_odd: bool) -> None:  # noqa: FBT001 - drawn
    payload = struct.pack(f"<{len(words) + 2}I", FORMATS, *words, 0x9000 | is_odd << 31)
    message = message_of(event_of(payload), Names({}, SOURCE))
    assert message.text is not None
    assert message.text.startswith("<err> motor: ")
