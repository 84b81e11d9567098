"""Symbols of real ELF files, compiled on this machine."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tickertape.decode.bodies import Name
from tickertape.errors import FirmwareError
from tickertape.model.names import Names
from tickertape.symbols.demangle import demangle
from tickertape.symbols.elf import Symbols, read_symbols
from tickertape.symbols.symbol import Symbol

if TYPE_CHECKING:
    from pathlib import Path

BUILD_ID = bytes(range(1, 21))
SOURCE = """
int table[8]; int other; int main(void) { return table[3] + other; }
__asm__(".globl CONFIG_NUMBER\\n.type CONFIG_NUMBER, %object\\n.set CONFIG_NUMBER, 7");
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("elf")
    (folder / "program.c").write_text(SOURCE)
    subprocess.run(
        [
            *("gcc", "-no-pie", f"-Wl,--build-id=0x{BUILD_ID.hex()}"),
            *(folder / "program.c", "-o", folder / "program"),
        ],
        check=True,
    )
    return folder / "program"


def address_of(symbols: Symbols, name: str) -> int:
    return next(symbol.address for symbol in symbols if symbol.name == name)


def test_build_id_and_names(program: Path) -> None:
    symbols = read_symbols(program)
    assert symbols.build_id == BUILD_ID
    table = address_of(symbols, "table")
    assert symbols.lookup(table) == "table"
    assert symbols.lookup(table + 12) == "table+0xc"
    assert symbols.lookup(address_of(symbols, "main") + 2) == "main+0x2"


def test_an_absolute_symbol_is_no_place(program: Path) -> None:
    symbols = read_symbols(program)
    assert "CONFIG_NUMBER" not in {symbol.name for symbol in symbols}
    assert symbols.lookup(7) is None


def test_an_image_without_symbols_names_nothing(program: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "stripped"
    subprocess.run(
        ["strip", "-s", "--remove-section=.note.gnu.build-id", "-o", stripped, program], check=True
    )
    symbols = read_symbols(stripped)
    assert len(symbols) == 0
    assert symbols.build_id == b""
    assert symbols.lookup(0x1000) is None


@pytest.mark.parametrize(
    ("address", "name"),
    [
        (0x0FFF, None),  # before everything
        (0x1000, "wide"),  # the widest of two symbols at one address
        (0x1001, "wide"),  # with the Thumb bit
        (0x100F, "wide+0xf"),
        (0x1010, None),  # directly after it
        (0x2000, "label"),  # size 0: its own address only
        (0x2002, None),
    ],
)
def test_lookup_keeps_inside_a_symbol(address: int, name: str | None) -> None:
    symbols = Symbols(
        [Symbol(0x1000, 4, "narrow"), Symbol(0x2000, 0, "label"), Symbol(0x1000, 16, "wide")]
    )
    assert symbols.lookup(address) == name


@pytest.mark.parametrize("traced", [bytes(20), b"", bytes(19) + b"\1"])
def test_another_build_is_refused_unless_forced(traced: bytes) -> None:
    symbols = Symbols([], BUILD_ID)
    symbols.require_build(BUILD_ID, force=False)
    symbols.require_build(traced, force=True)
    with pytest.raises(FirmwareError, match="add --force"):
        symbols.require_build(traced, force=False)


def test_two_images_without_id_are_not_the_same_build() -> None:
    with pytest.raises(FirmwareError, match="unknown"):
        Symbols([]).require_build(bytes(20), force=False)


@pytest.mark.parametrize("content", [b"", b"no ELF at all", b"\x7fELF"])
def test_a_wrong_file_is_one_clear_error(tmp_path: Path, content: bytes) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_bytes(content)
    with pytest.raises(FirmwareError, match=r"is (not an ELF file|damaged): .*name the ELF file"):
        read_symbols(wrong)


def test_a_missing_file_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(FirmwareError, match="No such file"):
        read_symbols(tmp_path / "missing")


VECTORS = """
void motor_IRQHandler(void) {}
void uart_rx_handler(void) {}
void dispatch(void) {}
void Reset_Handler(void) {}
typedef void (*vector_t)(void);
const vector_t my_vectors[20] = {
    (vector_t)0x20001000, Reset_Handler, dispatch, dispatch,
    [16] = dispatch, [17] = motor_IRQHandler, [18] = uart_rx_handler, [19] = dispatch,
};
int main(void) { return my_vectors[1] != 0; }
"""


def test_handlers_name_their_interrupts(tmp_path: Path) -> None:
    (tmp_path / "v.c").write_text(VECTORS)
    subprocess.run(
        [
            *("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-nostdlib", "-Wl,-emain"),
            *(tmp_path / "v.c", "-o", tmp_path / "v.elf"),
        ],
        check=True,
    )
    symbols = read_symbols(tmp_path / "v.elf")
    assert symbols.interrupts == {17: "motor", 18: "uart_rx"}
    names = Names({(8, 18): Name(8, 0, 0, 0, 18, 0, "said")}, symbols)
    assert [names.interrupt(number) for number in (11, 16, 17, 18)] == [
        "SVCall",
        "irq0",
        "motor",
        "said",  # a name from the target has priority
    ]


ZEPHYR = """
struct device { const char *name; };
struct entry { const void *argument; void (*handler)(const void *); };
void driver_isr(const void *device) { (void)device; }
void shared(const void *argument) { (void)argument; }
void button_isr(const void *argument) { (void)argument; }
void z_irq_spurious(const void *argument) { (void)argument; }
void _isr_wrapper(void) {}
void direct_isr(void) {}
const struct device __device_dts_ord_7 = {"uart@40004000"};
const struct device __device_dts_ord_9 = {"uart@40005000"};
const struct entry _sw_isr_table[20] = {
    {&__device_dts_ord_7, driver_isr}, {&__device_dts_ord_9, driver_isr}, {0, button_isr},
    {0, shared}, {0, shared}, [5 ... 19] = {0, z_irq_spurious},
};
void (*const _irq_vector_table[20])(void) = {[0 ... 17] = _isr_wrapper, [18] = direct_isr};
int main(void) { return _sw_isr_table[0].handler == 0 && _irq_vector_table[1] == 0; }
"""


def test_the_tables_of_zephyr_name_interrupts(tmp_path: Path) -> None:
    """A shared handler names an interrupt with its device; both tables begin with interrupt 0."""
    (tmp_path / "z.c").write_text(ZEPHYR)
    compiler = ("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-nostdlib", "-Wl,-emain")
    subprocess.run([*compiler, tmp_path / "z.c", "-o", tmp_path / "z.elf"], check=True)
    assert read_symbols(tmp_path / "z.elf").interrupts == {
        16: "driver_isr(uart@40004000)",
        17: "driver_isr(uart@40005000)",
        18: "button_isr",
        34: "direct",
    }


@pytest.mark.parametrize(
    ("linker", "source"),
    [
        ("_ZN5motor4Axis4stepEi", "motor::Axis::step(int)"),
        ("_Z3addIiET_S0_S0_", "int add<int>(int, int)"),
        ("_ZTV4Task", "vtable for Task"),
        ("main", "main"),
        ("_Zeit", "_Zeit"),  # not a C++ name
        ("_Z" + "x" * 100_000, "_Z" + "x" * 100_000),
    ],
)
def test_cpp_names_are_demangled(linker: str, source: str) -> None:
    assert demangle(linker) == source


def test_without_a_cpp_library_names_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tickertape.symbols.demangle._demangler", lambda: None)
    assert demangle("_ZTV4Task") == "_ZTV4Task"
