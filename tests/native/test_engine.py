"""The compiled part is optional: if it is missing or disabled, numpy replaces it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from ctypes import sizeof
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tickertape._native import engine as native
from tickertape._native import interface
from tickertape.decode.compiled import ring_decoder
from tickertape.decode.events import DecodeCounters
from tickertape.decode.ring import RingDecoder
from tickertape.decode.ticks import Clock
from tickertape.errors import NativeMismatch
from tickertape.formats.btf.compiled_lines import btf_lines
from tickertape.formats.btf.transition_lines import BtfLines
from tickertape.formats.timeline.compiled import timeline
from tickertape.formats.timeline.timeline import Timeline
from tickertape.model.boot import Boot
from tickertape.model.compiled_running import running_threads
from tickertape.model.compiled_system import system_model
from tickertape.model.names import Names
from tickertape.model.running import RunningThreads
from tickertape.model.system import SystemModel
from tickertape.printing.compiled_text import text_exporter
from tickertape.printing.text import TextExporter
from tickertape.protocol.wire import ByteOrder
from tools import native_build
from tools.gen.py_text import camel
from tools.native_build import FOLDER

if TYPE_CHECKING:
    from ctypes import CDLL

ROOT = Path(__file__).parents[2]
_ASK = "from tickertape._native.engine import engine; print(engine() is None)"


def test_the_variable_switches_it_off() -> None:
    environment = {**os.environ, native.VARIABLE: "0"}
    line = [sys.executable, "-c", _ASK]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_what_is_missing_or_no_library_is_not_used(tmp_path: Path) -> None:
    assert native.load(tmp_path / "missing") is None
    (tmp_path / "text").write_text("no library")
    assert native.load(tmp_path / "text") is None


def test_a_build_of_other_sources_is_refused(
    compiled: CDLL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "CHECKSUM", interface.CHECKSUM + 1)
    with pytest.raises(NativeMismatch, match="built from other sources; build it again"):
        native.load(Path(compiled._name))


def test_a_build_without_one_of_the_functions_is_refused(
    compiled: CDLL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "FUNCTIONS", {"tt_of_another_time": (None, ())})
    with pytest.raises(NativeMismatch):
        native.load(Path(compiled._name))


def test_any_other_library_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.c").write_text("int other(void) { return 1; }")
    line = ["cc", "-shared", "-fPIC", "other.c", "-o", "native.lib"]
    subprocess.run(line, cwd=tmp_path, check=True)
    with pytest.raises(NativeMismatch):
        native.load(tmp_path / "native.lib")


def test_structs_lie_in_memory_as_in_c() -> None:
    """interface.c asserts the same offsets and sizes at compile time."""
    asserted = (ROOT / FOLDER / "interface.c").read_text(encoding="utf-8")
    offsets = re.findall(r"offsetof\(tt_(\w+)_t, (\w+)\) == (\d+)", asserted)
    sizes = re.findall(r"sizeof\(tt_(\w+)_t\) == (\d+)", asserted)
    assert len(offsets) > 100
    for struct, field, offset in offsets:
        kind = getattr(interface, camel(struct))
        assert getattr(kind, field).offset == int(offset), (struct, field)
    for struct, size in sizes:
        assert sizeof(getattr(interface, camel(struct))) == int(size), struct
    assert interface.TRANSITION.itemsize == sizeof(interface.Transition)
    for name, (_, offset, *_) in (interface.TRANSITION.fields or {}).items():
        assert getattr(interface.Transition, name).offset == offset


def test_one_switch_chooses_every_engine(compiled: CDLL) -> None:
    def made() -> list[object]:
        decoder = ring_decoder((0, 0), byte_order=ByteOrder.LITTLE, counters=DecodeCounters())
        model = system_model(lambda _: Names({}))
        boots = lambda _: Boot(Clock(None), Names({}))  # noqa: E731 - one line
        lines = btf_lines(model.entities, old=False)
        return [decoder, model, lines, running_threads(), text_exporter(boots), timeline(boots)]

    with native.using(None):
        plain = [type(one) for one in made()]
    with native.using(compiled):
        fast = [type(one) for one in made()]
    assert plain == [RingDecoder, SystemModel, BtfLines, RunningThreads, TextExporter, Timeline]
    for one, other in zip(fast, plain, strict=True):
        assert issubclass(one, other)
        assert one is not other


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
