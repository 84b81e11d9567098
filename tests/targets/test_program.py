"""Programs that were built elsewhere: `run --image` accepts or refuses them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tickertape.cli.inside import command
from tickertape.errors import FirmwareError
from tickertape.targets import find_target
from tickertape.targets.program import image_of, processor_of


def test_a_program_for_another_processor_is_refused(tmp_path: Path) -> None:
    """Otherwise an emulator would execute it as Thumb code, and Linux would not start it."""
    here = Path(sys.executable)
    tape = tmp_path / "T.tape"
    with pytest.raises(FirmwareError, match=f"is for {processor_of(here)}, not for ARM; build it"):
        image_of(here, find_target("qemu"), tape)
    arm = find_target("qemu-m3").build("first_tape").path
    with pytest.raises(FirmwareError, match=r"is for ARM, not for .*; build it for native"):
        image_of(arm, find_target("native"), tape)
    assert image_of(arm, find_target("qemu-m3"), tape).path == arm.resolve()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot be read: No such file"),
        (b"", "is not an ELF file"),
        (b"#!/bin/sh\n", "is not an ELF file"),
        (b"\x7fELF\1\1\1", "is damaged"),
    ],
)
def test_what_is_no_program(tmp_path: Path, content: bytes | None, problem: str) -> None:
    path = tmp_path / "program.elf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FirmwareError, match=rf"{problem}.*; give the linker's output"):
        image_of(path, find_target("qemu"), None)


@pytest.mark.process
def test_what_a_program_prints_goes_beside_the_tape(tmp_path: Path) -> None:
    """The program's folder may be read-only, and two runs must not share a console file."""
    program = tmp_path / "bin/first_tape"
    program.parent.mkdir()
    program.write_bytes(find_target("native").build("first_tape").path.read_bytes())
    program.chmod(0o555)
    tape = tmp_path / "T.tape"
    done = command(
        "run", "--target", "native", "--image", str(program), "-o", str(tape), "--duration", "0.1"
    )
    assert done.code == 0, done.complaint
    assert (tmp_path / "T.console.txt").is_file()
    assert list(program.parent.iterdir()) == [program]
