"""Building the firmware: each error is one line with the command to type."""

from __future__ import annotations

import pwd
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.programs import ROOT
from tickertape.errors import FirmwareError
from tickertape.targets import NativeTarget, QemuTarget, firmware

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout with one example; the test writes the Makefile."""
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
    with pytest.raises(FirmwareError, match=r"no example 'chess'; choose one of: first_tape"):
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


def test_sources_are_of_the_own_checkout_of_the_current_one_or_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert firmware.project_root() == ROOT
    package = tmp_path / "site/lib/packages/tickertape"
    monkeypatch.setattr(firmware, "files", lambda _name: package)
    # Another project may have a folder `firmware`, too.
    (tmp_path / "project/firmware").mkdir(parents=True)
    (tmp_path / "project/firmware/Makefile").touch()
    monkeypatch.chdir(tmp_path / "project")
    with pytest.raises(FirmwareError, match="install tickertape again"):
        firmware.project_root()
    (package / "sources/firmware").mkdir(parents=True)
    (package / "sources/firmware/Makefile").touch()
    assert firmware.project_root() == package / "sources"
    (tmp_path / "project/host/src/tickertape").mkdir(parents=True)
    (tmp_path / "project/host/src/tickertape/version.py").touch()
    monkeypatch.chdir(tmp_path / "project/host")
    assert firmware.project_root() == tmp_path / "project"


def test_the_package_is_built_in_the_cache_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "tickertape/sources"
    monkeypatch.setattr(firmware, "packaged", lambda: root)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert firmware.build_folder(tmp_path) == tmp_path / "build"
    assert firmware.build_folder(root).parent == tmp_path / "cache/tickertape"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert firmware.build_folder(root).parent == tmp_path / ".cache/tickertape"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "my cache"))
    with pytest.raises(FirmwareError, match="white space; set XDG_CACHE_HOME"):
        firmware.build_folder(root)
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    monkeypatch.delenv("HOME")
    with pytest.raises(FirmwareError, match=r"no home folder .* set XDG_CACHE_HOME to a folder"):
        firmware.build_folder(root)


def test_a_cache_that_cannot_be_written_is_one_line(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    makefile(checkout, "@true")
    (checkout / "file").touch()
    monkeypatch.setattr(firmware, "packaged", lambda: checkout)
    monkeypatch.setenv("XDG_CACHE_HOME", str(checkout / "file"))
    with pytest.raises(FirmwareError, match=r"cannot be written .*; set XDG_CACHE_HOME"):
        NativeTarget().build("first_tape")


def test_an_example_says_which_link_it_wants(checkout: Path) -> None:
    makefile(checkout, "@true")
    wanted = checkout / "firmware/examples/first_tape/example.mk"
    assert NativeTarget().build("first_tape").link == "stream"
    wanted.write_text("FACADES := shark\nTRACE_LINK := udp\n")
    assert NativeTarget().build("first_tape").link == "udp"
    wanted.write_text("TRACE_LINK := pigeon\n")
    with pytest.raises(FirmwareError, match="names an unknown link 'pigeon'") as caught:
        NativeTarget().build("first_tape")
    assert caught.value.advice == "name one of: stream, udp"
