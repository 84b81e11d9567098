"""`tickertape profile`: samples of the program counter, by function and line."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from typing import TYPE_CHECKING, Final

import pytest

from tests.support.itm import encoded
from tickertape.decode.itm import ExceptionTrace, LocalTimestamp, Overflow, PcSample, Relation, Step
from tickertape.symbols.elf import read_symbols
from tickertape.symbols.lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from tests.support.command import Command, Done
    from tickertape.decode.itm import Packet

    Profiled: TypeAlias = Callable[..., Done]

SOURCE: Final = """
volatile unsigned samples[8];
__attribute__((noinline)) unsigned filter(unsigned value)
{
    for (unsigned i = 1; i < 8; i++) {
        samples[i] = samples[i - 1];
        value += samples[i];
    }
    return value;
}
static inline void store(unsigned value)
{
    samples[0] = value;
}
int main(void)
{
    for (;;) {
        store(filter(7) + 1);
    }
}
"""


@pytest.fixture(scope="module", params=["-gdwarf-4", "-gdwarf-5"])
def firmware(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("firmware")
    (folder / "main.c").write_text(SOURCE, encoding="utf-8")
    subprocess.run(
        [
            *("arm-none-eabi-gcc", request.param, "-O1", "-mcpu=cortex-m3", "-mthumb", "-nostdlib"),
            *("-ffreestanding", "-Wl,-Ttext=0x8000000,-emain", "main.c", "-o", "fw.elf"),
        ],
        cwd=folder,
        check=True,
    )
    return folder / "fw.elf"


def code_of(firmware: Path) -> range:
    symbols = [one for one in read_symbols(firmware) if one.letter in "tT"]
    begin = min(one.address for one in symbols)
    return range(begin, max(one.address + one.size_bytes for one in symbols), 2)


def truth(firmware: Path, addresses: Sequence[int]) -> list[str]:
    """Return file:line of each address as binutils reports it; ?:? if unknown."""
    asked = "\n".join(map(hex, addresses))
    done = subprocess.run(
        ["arm-none-eabi-addr2line", "-s", "-e", firmware],
        input=asked,
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.partition(" (")[0] for line in done.stdout.splitlines()]


@pytest.fixture
def profiled(tickertape_inside: Command, tmp_path: Path) -> Profiled:
    """Return a function that imports packets as x.tape and profiles it with further options."""

    def profile(packets: Sequence[Packet], *words: object) -> Done:
        stamp = encoded(LocalTimestamp(10, Relation.EXACT))
        (tmp_path / "swo.bin").write_bytes(b"".join(encoded(one) + stamp for one in packets))
        done = tickertape_inside("import", "itm", "swo.bin", "-o", "x.tape", "--hz", "1000000")
        assert done.returncode == 0, done.stderr
        return tickertape_inside("profile", "x.tape", *words)

    return profile


def test_lines_are_those_of_binutils(firmware: Path) -> None:
    lines = read_lines(firmware)
    addresses = code_of(firmware)
    found = [lines.lookup(address) for address in addresses]
    assert [f"{one.file}:{one.line}" if one else "??:?" for one in found] == truth(
        firmware, addresses
    )
    assert len({one.line for one in found if one}) > 5
    assert lines.lookup(addresses.start - 2) is None
    assert lines.lookup(addresses.stop) is None


def test_samples_are_counted_by_function_and_line(profiled: Profiled, firmware: Path) -> None:
    code = code_of(firmware)
    addresses = [*code, *list(code)[:3] * 5]
    packets: list[Packet] = [*map(PcSample, addresses), *[PcSample(None)] * 4]
    packets.insert(3, ExceptionTrace(15, Step.ENTERED))
    symbols = read_symbols(firmware)
    by_place = Counter(
        (str(symbols.place(address)).split("+")[0], line)
        for address, line in zip(addresses, truth(firmware, addresses), strict=True)
    )
    done = profiled(packets, "--elf", firmware, "--folded")
    assert done.returncode == 0
    assert "the build of the firmware is unknown" in done.stderr
    folded = Counter[tuple[str, ...]]()
    for line in done.stdout.splitlines():
        stack, samples = line.rsplit(" ", 1)
        folded[(*stack.split(";"),)] += int(samples)
    assert folded.pop(("(asleep)",)) == 4
    assert folded == by_place
    shown = profiled(packets, "--elf", firmware, "--speedscope")
    scope = json.loads(shown.stdout)
    (profile,) = scope["profiles"]
    frames = scope["shared"]["frames"]
    assert profile["endValue"] == sum(profile["weights"]) == len(addresses) + 4
    assert folded == {
        (frames[index]["name"], f"{frames[index]['file']}:{frames[index]['line']}"): samples
        for (index,), samples in zip(profile["samples"], profile["weights"], strict=True)
        if "file" in frames[index]
    }
    table = profiled(packets, "--elf", firmware).stdout
    assert f"{len(addresses) + 4} samples, 4 asleep" in table
    assert "filter" in table
    assert "main.c:" in table


def test_a_loss_is_reported_and_addresses_without_a_name_are_kept(profiled: Profiled) -> None:
    done = profiled([PcSample(0x800), Overflow(), PcSample(0x800), PcSample(0x900)])
    assert done.returncode == 0
    assert "0 records missing at 1 place, an unknown number at 1" in done.stdout
    assert "0x800" in done.stdout
    folded = profiled([PcSample(0x800), Overflow(), PcSample(0x800)], "--folded")
    assert folded.stdout == "0x800 2\n"
    assert "an unknown number at 1" in folded.stderr


@pytest.mark.parametrize("packets", [[ExceptionTrace(15, Step.ENTERED)], [PcSample(None)] * 3])
def test_nothing_to_show_has_an_exit_code(profiled: Profiled, packets: list[Packet]) -> None:
    done = profiled(packets)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "switch samples on" in done.stderr
