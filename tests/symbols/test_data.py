"""Names and types of data by address, compared with the output of the program itself."""

from __future__ import annotations

import itertools
import math
import re
import shutil
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.data_program import built
from tickertape.errors import FirmwareError
from tickertape.symbols.data import Data
from tickertape.symbols.reading import META_KEY, Encoding, Reading, reading_of, readings_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COMPILERS = [
    *itertools.product(["gcc", "g++"], ["-gdwarf-2 -O0", "-gdwarf-4 -O2", "-gdwarf-5 -O1"]),
    ("clang", "-gdwarf-5 -O1"),
]
# Readings by the types of data_program.h. Other types do not fit a word.
READINGS = {
    "number": (Encoding.SIGNED, 4),
    "counter": (Encoding.UNSIGNED, 4),
    "temperature": (Encoding.FLOAT, 4),
    "flag": (Encoding.BOOLEAN, 1),
    "mode": (Encoding.ENUM, 4),
    "level": (Encoding.ENUM, 4),
    "table": (Encoding.UNSIGNED, 2),
    "id": (Encoding.UNSIGNED, 1),
    "left": (Encoding.SIGNED, 2),
    "right": (Encoding.UNSIGNED, 1),
    "speed": (Encoding.FLOAT, 4),
    "y": (Encoding.SIGNED, 4),
    "on": (Encoding.BOOLEAN, 1),
    "after": (Encoding.SIGNED, 4),
    "fixed": (Encoding.UNSIGNED, 1),
    "inside": (Encoding.SIGNED, 1),
    "first": (Encoding.SIGNED, 4),
    "second": (Encoding.SIGNED, 4),
    "shared": (Encoding.SIGNED, 4),
}


@pytest.mark.parametrize(("compiler", "options"), COMPILERS)
def test_a_place_has_its_name_and_type(tmp_path: Path, compiler: str, options: str) -> None:
    if shutil.which(compiler) is None:
        pytest.fail(f"{compiler} is missing; make setup installs it")
    program, said = built(tmp_path, compiler, options)
    data = Data.read(program)
    assert len(said) >= 24
    for name, (address, size) in said.items():
        place = data.at(address)
        assert place is not None, name
        # DWARF names the members of a namespace without the namespace.
        assert place.name == re.sub(r".*::", "", name)
        wanted = READINGS.get(re.sub(r"\[.*", "", name.rpartition(".")[2].rpartition("::")[2]))
        found = place.reading
        assert (
            (found and (found.encoding, found.size_bytes)) == wanted
            or size > 4
            or (found is not None and found.encoding is Encoding.POINTER)
        ), name
    inner = {
        "either": (2, "either+0x2"),
        "bits.after": (-4, "bits"),
        "table[1][3]": (1, "table[1][3]+0x1"),
        "wide": (4, "wide+0x4"),
        "motors[1].sum": (4, "motors[1].sum+0x4"),
    }
    for name, (offset, wanted_name) in inner.items():
        place = data.at(said[name][0] + offset)
        assert place is not None
        assert (place.name, place.reading) == (wanted_name, None)
    assert data.at(0) is None
    mode = data.at(said["mode"][0])
    level = data.at(said["level"][0])
    assert mode is not None
    assert mode.reading is not None
    assert level is not None
    assert level.reading is not None
    assert [mode.reading.text(word) for word in (0, 3, 4, 9)] == ["IDLE", "RUN", "FAULT", "9"]
    assert [level.reading.text(word) for word in (2, 2**32 - 2, 2**32 - 1)] == ["HIGH", "LOW", "-1"]


def test_no_debug_information_is_no_variable(tmp_path: Path) -> None:
    program, said = built(tmp_path, "gcc", "-g0")
    assert Data.read(program).at(said["number"][0]) is None


def test_what_is_no_elf_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"no")
    with pytest.raises(FirmwareError):
        Data.read(tmp_path / "x")
    with pytest.raises(FirmwareError):
        Data.read(tmp_path / "y")


@given(word=st.integers(0, 2**32 - 1))
def test_a_float_is_the_shortest_number_that_is_it(word: int) -> None:
    text = Reading(Encoding.FLOAT, 4).text(word)
    (value,) = struct.unpack("<f", struct.pack("<I", word))
    if math.isnan(value):
        assert text == "nan"
    else:
        assert struct.pack("<f", float(text)) == struct.pack("<I", word)


@given(word=st.integers(0, 2**32 - 1), size=st.sampled_from([1, 2, 4]))
def test_whole_numbers(word: int, size: int) -> None:
    word %= 1 << 8 * size
    data = word.to_bytes(size, "little")
    assert Reading(Encoding.UNSIGNED, size).text(word) == str(word)
    assert Reading(Encoding.SIGNED, size).text(word) == str(
        int.from_bytes(data, "little", signed=True)
    )


def test_what_is_not_zero_or_one_is_no_boolean() -> None:
    reading = Reading(Encoding.BOOLEAN, 1)
    assert [reading.text(word) for word in (0, 1, 2)] == ["false", "true", "2"]
    assert Reading(Encoding.POINTER, 4).text(0x2000_0000) == "0x20000000"


def test_a_reading_comes_back_from_a_tape() -> None:
    for reading in (
        Reading(Encoding.SIGNED, 2),
        Reading(Encoding.ENUM, 4, {-1: "A", 7: "B"}, is_signed=True),
    ):
        meta = {f"{META_KEY}536870912": reading.as_json(), "elf": "x"}
        assert readings_of(meta) == {0x2000_0000: reading}


@pytest.mark.parametrize(
    "values",
    [
        *(None, 3, [], {}, {"type": "signed"}, {"type": "signed", "bytes": 3}),
        *({"type": [], "bytes": 4}, {"type": "float", "bytes": True, "names": 3}),
        *({"type": "enum", "bytes": 4, "names": {"x": "A"}}, {"type": "new", "bytes": 4}),
    ],
)
def test_a_damaged_reading_is_left_out(values: object) -> None:
    assert reading_of(values) is None
    good = {"type": "signed", "bytes": 4}
    keys = ("x", "", "-1", "1" * 5000, "\u0661")
    damaged: Mapping[str, object] = {f"{META_KEY}1": values} | {
        META_KEY + key: good for key in keys
    }
    assert readings_of(damaged) == {}
