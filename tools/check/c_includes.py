"""Check the direction of includes in the firmware (DESIGN: include <- core, hooks <- kernel).

The core does not know the kernel, the kernel does not know the core: it reports
events through hooks.h alone. A folder that is not in the table is an error: add it with its
dependencies.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

FIRMWARE = Path("firmware")
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
_HOOKS = FIRMWARE / "include/tickertape/hooks.h"
_ZEPHYR = FIRMWARE / "ports/zephyr"
_FREERTOS = FIRMWARE / "ports/freertos"

_BOARD_CONFIG = "board_config.h"

# Zone of a file -> zones whose headers it may include. `hooks` is hooks.h, `include` the other
# public headers, `board_config` the shared constants of a board, `zephyr` the module for Zephyr
# without the header of its port.
ALLOWED: dict[str, frozenset[str]] = {
    "include": frozenset({"ports"}),
    "hooks": frozenset({"include"}),
    "board_config": frozenset(),
    "ports": frozenset({"include", "board_config"}),
    "zephyr": frozenset({"include", "hooks", "ports", "links", "facades"}),
    "freertos": frozenset({"include", "hooks", "ports", "links", "boards"}),
    "core": frozenset({"include", "ports"}),
    "facades": frozenset({"include", "ports"}),
    "links": frozenset({"include"}),
    "kernel": frozenset({"hooks"}),
    "boards": frozenset({"include", "board_config", "ports", "links", "kernel"}),
    "bench": frozenset(
        {"include", "hooks", "board_config", "boards", "kernel", "core", "facades", "examples"}
    ),
    "examples": frozenset({"include", "hooks", "board_config", "boards", "kernel", "facades"}),
}


def zone_of(file: Path) -> str:
    """Return the zone of a file below firmware/: its first folder, or that of a special header."""
    if file == _HOOKS:
        return "hooks"
    if _ZEPHYR in file.parents and file.parent.name != "tickertape":
        return "zephyr"
    if _FREERTOS in file.parents and file.name != _BOARD_CONFIG:
        return "freertos"
    return "board_config" if file.name == _BOARD_CONFIG else file.relative_to(FIRMWARE).parts[0]


def include_folders(headers: list[Path]) -> list[Path]:
    """Return every folder that a compiler may search.

    A header in a folder named tickertape is reached through that folder's parent.
    """
    folders = {header.parent for header in headers}
    return sorted(folder.parent if folder.name == "tickertape" else folder for folder in folders)


def targets_of(source: Path, include: str, headers: list[Path]) -> list[Path]:
    """Return the headers that an include may mean: beside the source, else in any folder."""
    for folders in ([source.parent], include_folders(headers)):
        found = {Path(os.path.normpath(folder / include)) for folder in folders} & set(headers)
        if found:
            return sorted(found)
    return []


def check(root: Path, files: list[Path]) -> list[str]:
    """Check sources and headers, given relative to `root`; return one line per violation."""
    inside = [file for file in files if file.parts[0] == str(FIRMWARE)]
    headers = [file for file in inside if file.suffix in {".h", ".hpp"}]
    problems = []
    for file in inside:
        zone = zone_of(file)
        if zone not in ALLOWED:
            problems.append(f"{file}: add {zone} to ALLOWED")
            continue
        text = (root / file).read_text(encoding="utf-8")
        for match in _INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            targets = {zone_of(target) for target in targets_of(file, match[1], headers)}
            problems.extend(
                f"{file}:{line}: {zone} must not include {match[1]} ({target})"
                for target in sorted(targets - {zone} - ALLOWED[zone])
            )
    return problems
