"""The compiled part is optional: without it, or against it, everything goes on with numpy."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tickertape._native import library as native
from tickertape.decode import compiled as decoding
from tickertape.decode.events import DecodeCounters
from tickertape.decode.ring import RingDecoder
from tickertape.protocol.wire import ByteOrder
from tools import native_build

if TYPE_CHECKING:
    from ctypes import CDLL

_ASK = "from tickertape._native.library import library; print(library() is None)"


def test_the_variable_switches_it_off() -> None:
    environment = {**os.environ, native.VARIABLE: "0"}
    line = [sys.executable, "-c", _ASK]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_what_is_missing_or_no_library_is_not_used(tmp_path: Path) -> None:
    assert native.load(tmp_path / "missing") is None
    (tmp_path / "text").write_text("no library")
    assert native.load(tmp_path / "text") is None


def test_a_build_of_other_sources_is_not_used(
    compiled: CDLL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "VERSION", native.VERSION + 1)
    assert native.load(Path(compiled._name)) is None


def test_without_it_numpy_decodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "assembler", lambda _order: None)
    made = decoding.ring_decoder(
        (0, 0), byte_order=ByteOrder.LITTLE, counters=DecodeCounters(), epoch=2
    )
    assert type(made) is RingDecoder


@pytest.mark.parametrize("command", [["false"], ["/no/such/compiler"]])
def test_a_compiler_that_fails_leaves_nothing(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / native_build.FOLDER).mkdir(parents=True)
    assert native_build.build(tmp_path, command) is None
    assert not list((tmp_path / native_build.FOLDER).iterdir())
    assert "without its compiled part" in capsys.readouterr().err


def test_the_compiler_is_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CC", "ccache gcc")
    assert native_build.compiler() == ["ccache", "gcc"]
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert native_build.compiler() is None
