"""Guards the direction of includes in the firmware (DESIGN: include <- core, hooks <- kernel).

The core does not know the kernel, the kernel does not know the core: it tells what it does
through hooks.h alone. A folder that is not in the table is an error: whoever adds one decides
where it belongs.
"""

from __future__ import annotations

import re
from pathlib import Path

FIRMWARE = Path("firmware")
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
_HOOKS = FIRMWARE / "include/tickertape/hooks.h"

# Zone of a file -> zones whose headers it may include. `hooks` is hooks.h, `include` the rest of
# the public headers.
ALLOWED: dict[str, frozenset[str]] = {
    "include": frozenset({"include", "ports"}),
    "hooks": frozenset({"include"}),
    "ports": frozenset({"ports", "include"}),
    "core": frozenset({"core", "include", "ports"}),
    "kernel": frozenset({"kernel", "hooks"}),
    "boards": frozenset({"boards", "kernel", "include", "hooks", "ports"}),
    "examples": frozenset({"examples", "boards", "kernel", "include", "hooks"}),
}


def zone_of(file: Path) -> str:
    """Name the zone of a file below firmware/, which is its first folder or `hooks`."""
    return "hooks" if file == _HOOKS else file.relative_to(FIRMWARE).parts[0]


def targets_of(source: Path, include: str, headers: list[Path]) -> list[Path]:
    """Find the headers that an include may mean: beside the source, else by the end of the path.

    Several ports have a header of the same name; all of them belong to one zone.
    """
    beside = source.parent / include
    if beside in headers:
        return [beside]
    wanted = Path(include).parts
    return [header for header in headers if header.parts[-len(wanted) :] == wanted]


def check(root: Path, files: list[Path]) -> list[str]:
    """Check sources and headers, given relative to `root`; return one line per crossing."""
    inside = [file for file in files if file.parts[0] == str(FIRMWARE)]
    headers = [file for file in inside if file.suffix == ".h"]
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
