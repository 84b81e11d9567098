"""The gate for C includes accepts the firmware and reports includes that cross a layer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.check import c_includes
from tools.check.process import tracked_files

ROOT = Path(__file__).parents[3]
HEADERS = (
    "include/tickertape/hooks.h",
    "include/tickertape/tickertape.h",
    "ports/native/tickertape/port.h",
    "ports/cortex_m/tickertape/port.h",
    "core/ring.h",
    "kernel/include/kernel.h",
    "kernel/port.h",
    "links/byte_ring.h",
    "boards/board.h",
    "boards/native/board_config.h",
)


def check(root: Path, file: str, text: str) -> list[str]:
    """Write one source and all headers below `root`; return the findings of the check."""
    for name in (*HEADERS, file):
        path = root / "firmware" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if name == file else "#include <stdint.h>\n")
    files = sorted({f"firmware/{name}" for name in (*HEADERS, file)})
    return c_includes.check(root, [Path(name) for name in files])


def test_the_project_keeps_its_layers() -> None:
    files = tracked_files(ROOT, "firmware/**/*.c", "firmware/**/*.h")
    assert c_includes.check(ROOT, files) == []


@pytest.mark.parametrize(
    ("file", "header", "target"),
    [
        ("core/a.c", "kernel.h", "kernel"),
        ("core/a.c", "tickertape/hooks.h", "hooks"),
        ("core/a.c", "board.h", "boards"),
        ("core/a.c", "byte_ring.h", "links"),
        ("kernel/a.c", "ring.h", "core"),
        ("kernel/a.c", "../core/ring.h", "core"),
        ("kernel/a.c", "tickertape/tickertape.h", "include"),
        ("kernel/a.c", "tickertape/port.h", "ports"),
        ("kernel/ports/native/a.c", "board.h", "boards"),
        ("include/tickertape/a.h", "ring.h", "core"),
        ("include/tickertape/a.h", "kernel.h", "kernel"),
        ("links/a.c", "kernel.h", "kernel"),
        ("ports/native/tickertape/a.h", "ring.h", "core"),
        ("boards/native/a.c", "ring.h", "core"),
        ("examples/one/main.c", "ring.h", "core"),
    ],
)
def test_a_crossing_is_found(tmp_path: Path, file: str, header: str, target: str) -> None:
    zone = file.partition("/")[0]
    assert check(tmp_path, file, f'/* why */\n  #  include "{header}"\n') == [
        f"firmware/{file}:2: {zone} must not include {header} ({target})"
    ]


@pytest.mark.parametrize(
    ("file", "header"),
    [
        ("kernel/a.c", "port.h"),  # the kernel's port.h, not the recorder's
        ("kernel/a.c", "tickertape/hooks.h"),
        ("core/a.c", "tickertape/port.h"),
        ("ports/native/tickertape/a.h", "board_config.h"),
        ("boards/native/a.c", "kernel.h"),
        ("examples/one/main.c", "tickertape/tickertape.h"),
    ],
)
def test_what_the_design_allows(tmp_path: Path, file: str, header: str) -> None:
    assert check(tmp_path, file, f'#include "{header}"\n') == []


def test_an_unknown_folder_has_to_be_placed(tmp_path: Path) -> None:
    problems = check(tmp_path, "surprise/a.c", '#include "ring.h"\n')
    assert problems == ["firmware/surprise/a.c: add surprise to ALLOWED"]
