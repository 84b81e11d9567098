"""Cross-compiled wheels for other platforms; the wheel for any Linux runs here."""

from __future__ import annotations

import platform
from pathlib import Path
from zipfile import ZipFile

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

from tests.support.packages import Environment, install
from tests.support.programs import ROOT
from tools import wheels

pytestmark = pytest.mark.process

NAME = f"linux-{platform.machine()}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheels.build(wheels.PLATFORMS[NAME], tmp_path_factory.mktemp("wheels"))


def test_it_needs_no_newer_c_library_than_its_tag(wheel: Path, tmp_path: Path) -> None:
    with ZipFile(wheel) as archive:
        library = archive.extract(wheels.LIBRARY, tmp_path)
    with Path(library).open("rb") as file:
        needs = ELFFile(file).get_section_by_name(".gnu.version_r")
        assert isinstance(needs, GNUVerNeedSection)
        names = {one.name for _, versions in needs.iter_versions() for one in versions}
    versions = [tuple(map(int, name.removeprefix("GLIBC_").split("."))) for name in names]
    assert versions
    assert max(versions) <= (2, 17)


def test_its_compiled_part_works_here(wheel: Path, tmp_path: Path) -> None:
    install(wheel, tmp_path / "env")
    environment = Environment(tmp_path / "env", tmp_path / "cache")
    done = environment.run("tickertape", "--version", cwd=tmp_path)
    assert "compiled part: yes" in done.stdout


def test_a_library_of_another_platform_is_refused(tmp_path: Path) -> None:
    wrong = wheels.Platform("x86_64-linux-gnu.2.17", "win_amd64", b"MZ", (4, b"\x64\x86"))
    with pytest.raises(ValueError, match="not for x86_64-linux"):
        wheels.build(wrong, tmp_path)


@pytest.mark.parametrize("name", ["macos-aarch64", "macos-x86_64"])
def test_a_library_for_macos_has_no_path_of_this_machine(tmp_path: Path, name: str) -> None:
    wheel = wheels.build(wheels.PLATFORMS[name], tmp_path)
    with ZipFile(wheel) as archive:
        library = archive.read(wheels.LIBRARY)
    assert b"@rpath/native.lib\0" in library
    assert b"/usr/lib/libSystem.B.dylib\0" in library


def test_the_checkout_keeps_its_own_library(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        assert (
            archive.read(wheels.LIBRARY)
            != (ROOT / "host/src/tickertape/_native/native.lib").read_bytes()
        )
