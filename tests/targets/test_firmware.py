"""Building the firmware: an error is one line with what to type."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tickertape.errors import FirmwareError
from tickertape.targets import NativeTarget, QemuTarget, firmware

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose Makefile a test writes, with one example."""
    (tmp_path / "firmware/examples/first_tape").mkdir(parents=True)
    (tmp_path / "firmware/examples/first_tape/main.c").touch()
    monkeypatch.setattr(firmware, "project_root", lambda: tmp_path)
    return tmp_path


def makefile(checkout: Path, recipe: str) -> None:
    (checkout / "firmware/Makefile").write_text(f"all:\n\t{recipe}\n")


def test_the_image_is_where_the_makefile_puts_it(checkout: Path) -> None:
    makefile(checkout, "@true")
    assert NativeTarget().build("first_tape").path == checkout / "build/firmware/native/first_tape"
    image = QemuTarget("mps2-an385").build("first_tape")
    assert image.path == checkout / "build/firmware/mps2-an385/first_tape.elf"
    assert (image.board, image.example) == ("mps2-an385", "first_tape")


def test_no_such_example_names_those_that_exist(checkout: Path) -> None:
    makefile(checkout, "@true")
    with pytest.raises(FirmwareError, match=r"no example 'chess'; take one of these: first_tape"):
        NativeTarget().build("chess")


@pytest.mark.parametrize(
    ("recipe", "reason"),
    [
        ("@echo 'a.c:1:2: error: no ;' >&2; echo 'more' >&2; false", "a.c:1:2: error: no ;"),
        ("@echo 'a.c:9: undefined reference to x' >&2; false", "undefined reference to x"),
        ("@echo 'no space left' >&2; false", "Error 1"),
    ],
)
def test_the_first_complaint_is_told(checkout: Path, recipe: str, reason: str) -> None:
    makefile(checkout, recipe)
    with pytest.raises(FirmwareError) as caught:
        NativeTarget().build("first_tape")
    assert reason in caught.value.problem
    command = f"make -C {checkout}/firmware BOARD=native EXAMPLE=first_tape"
    assert caught.value.advice.endswith(command)


@pytest.mark.parametrize(
    ("target", "missing", "package"),
    [
        (QemuTarget(), "arm-none-eabi-gcc", "gcc-arm-none-eabi libnewlib-arm-none-eabi"),
        (NativeTarget(), "gcc", "gcc libc6-dev"),
        (NativeTarget(), "make", "make"),
    ],
)
def test_a_missing_tool_ends_in_the_command_to_type(
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    target: QemuTarget | NativeTarget,
    missing: str,
    package: str,
) -> None:
    makefile(checkout, "@true")
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == missing else which(name))
    with pytest.raises(FirmwareError) as caught:
        target.build("first_tape")
    assert caught.value.advice == f"type: sudo apt-get install {package}"


def test_without_sources_it_says_where_to_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(firmware, "__file__", str(tmp_path / "site/firmware.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FirmwareError, match="run the command in a checkout"):
        firmware.project_root()
    (tmp_path / "firmware").mkdir()
    (tmp_path / "firmware/Makefile").touch()
    (tmp_path / "deeper").mkdir()
    monkeypatch.chdir(tmp_path / "deeper")
    assert firmware.project_root() == tmp_path


def test_an_example_says_which_link_it_wants(checkout: Path) -> None:
    makefile(checkout, "@true")
    wanted = checkout / "firmware/examples/first_tape/example.mk"
    assert NativeTarget().build("first_tape").link == "stream"
    wanted.write_text("FACADES := shark\nTRACE_LINK := udp\n")
    assert NativeTarget().build("first_tape").link == "udp"
    wanted.write_text("TRACE_LINK := pigeon\n")
    with pytest.raises(FirmwareError, match="wants a link 'pigeon'") as caught:
        NativeTarget().build("first_tape")
    assert caught.value.advice == "write one of these there: stream, udp"
