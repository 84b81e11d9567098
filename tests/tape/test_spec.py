"""protocol/SPEC.md suffices to read a tape, and agrees with wire.yaml."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.tapes import busy, compare, write

if TYPE_CHECKING:
    from tests.support.command import Command

ROOT = Path(__file__).resolve().parents[2]
SPEC = (ROOT / "protocol" / "SPEC.md").read_text()


def test_a_run_of_the_kernel(tickertape: Command, tmp_path: Path) -> None:
    done = tickertape("run", "--target", "native", "-o", "t.tape", "--duration", "0.2", "--symbols")
    assert done.returncode == 0
    compare(tmp_path / "t.tape")


def test_a_capture_that_was_cut(tape: Path) -> None:
    data = tape.read_bytes()
    for size in (len(data), len(data) - 32, len(data) - 33, 3 * len(data) // 4, 200, 64):
        tape.write_bytes(data[:size])
        compare(tape)


@settings(max_examples=examples(60))
@given(st.integers(0, 2**32))
def test_tapes_of_busy_targets(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng = random.Random(seed)
    target = busy(rng, cpus=rng.choice([1, 2]), streams=rng.choice([1, 2]))
    path = tmp_path_factory.mktemp("spec") / "t.tape"
    write(target, path, rng)
    compare(path)
    data = bytearray(path.read_bytes())
    for _ in range(rng.randrange(3)):
        data[rng.randrange(64, len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data[: rng.choice([len(data), rng.randrange(64, len(data) + 1)])])
    compare(path, damaged=True)


def wire() -> dict[str, dict[str, dict[str, object]]]:
    loaded: dict[str, dict[str, dict[str, object]]] = yaml.safe_load(
        (ROOT / "protocol" / "wire.yaml").read_text()
    )
    return loaded


STRUCTS = [
    *("hello", "buffer_header", "status", "class_counters", "name", "command", "reply"),
    *("tape_header", "chunk_header", "anchor", "receipt", "symbols", "symbol", "board"),
    *("memory_link", "memory_frame"),
]


@pytest.mark.parametrize("name", STRUCTS)
def test_layouts_are_those_of_wire_yaml(name: str) -> None:
    fields = wire()["structs"][name]["fields"]
    assert isinstance(fields, list)
    expected, offset = [], 0
    for one in fields:
        expected.append((str(offset), one["name"], one["type"]))
        is_bytes = one["type"].startswith("bytes")
        offset += int(one["type"][5:]) if is_bytes else int(one["type"][1:]) // 8
    begin = SPEC.index(f"**{name}**, {offset} bytes.")
    table = SPEC[begin:].split("\n\n")[1]
    assert re.findall(r"^\| (\d+) \| `(\w+)` (\w+) \|", table, re.MULTILINE) == expected


def test_every_struct_is_described() -> None:
    assert {*STRUCTS, "frame_header"} == set(wire()["structs"])


@pytest.mark.parametrize("name", ["byte_order", "policy", "object_kind", "buffer_flag", "command"])
def test_numbers_are_those_of_wire_yaml(name: str) -> None:
    (line,) = re.findall(rf"^\| {name} \| (.*) \|$", SPEC, re.MULTILINE)
    values = ", ".join(f"{one['value']} {key}" for key, one in wire()["enums"][name].items())  # type: ignore[index] # YAML
    assert line == values


def test_chunk_and_frame_types_are_those_of_wire_yaml() -> None:
    frames, chunks = (
        dict(re.findall(r"^\| (\d+) \| ([A-Z]+) \|", part, re.MULTILINE))
        for part in (SPEC.split("## Frames")[1].split("###")[0], SPEC.split("## Tape")[1])
    )
    for found, name in ((frames, "frame_type"), (chunks, "chunk_type")):
        enum = wire()["enums"][name]
        assert found == {str(one["value"]): key for key, one in enum.items()}  # type: ignore[index] # YAML
