"""Check the layers of firmware/core: every file has a layer, and uses only allowed layers.

A file uses a header that it includes, and a source that defines a global name which it mentions.
Files of a layer may use each other, but not in a cycle. ARCHITECTURE.md, "Reading
`firmware/core`", has the picture.
"""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CORE = Path("firmware/core")

LAYERS: dict[str, frozenset[str]] = {
    "base": frozenset({"shared", "control_lock", "clock", "target", "names", "event_table", "crc"}),
    "ring": frozenset({"ring", "ring_finalize", "ring_read"}),
    "emit": frozenset(
        {
            "record",
            "combine",
            "filter",
            "selection",
            "clock_poll",
            "finalize",
            "instrument",
            "log",
            "cost",
        }
    ),
    "drain": frozenset(
        {"drain", "announce", "send", "pack", "pack_kinds", "frame", "plain", "outlet"}
    ),
    "control": frozenset({"start", "route", "settings", "state", "read"}),
    "recorder": frozenset({"recorder", "command"}),
}
"""The files of each layer, without their endings."""

ALLOWED: dict[str, frozenset[str]] = {
    "base": frozenset(),
    "ring": frozenset({"base"}),
    "emit": frozenset({"base", "ring"}),
    "drain": frozenset({"base", "ring"}),
    "control": frozenset({"base", "ring", "emit"}),
    "recorder": frozenset(LAYERS),
}
"""The layers that each layer may use, besides itself."""

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"(\w+)\.h"', re.MULTILINE)
_FUNCTION = re.compile(r"^(?!static\b)[\w*][^\n;{}()=]*?\b(\w+)\([^;{}]*\)\n\{", re.MULTILINE)
_OBJECT = re.compile(
    r"^(?!static\b|extern\b|typedef\b|return\b)\w[\w *]*?\b(tt_\w+)(?:\[[^;]*\])?(?: = [^;]*)?;",
    re.MULTILINE,
)
_NAME = re.compile(r"\b\w+\b")
# Emitters and their macros (tickertape/emit.h, add.h) call functions of these sources.
_MACROS = {
    re.compile(r"\b(?:tt_emit_\w+|TT_EMIT\w*|tt_add_event)\b"): "record.c",
    re.compile(r"\btt_add_\w*string\b"): "combine.c",
}


Uses = dict[Path, str]


def _code(root: Path, file: Path) -> str:
    return _COMMENT.sub(" ", (root / file).read_text(encoding="utf-8"))


def definitions(text: str) -> set[str]:
    """Return the global functions and variables that a source defines; `text` has no comments."""
    return {match[1] for kind in (_FUNCTION, _OBJECT) for match in kind.finditer(text)}


def uses(file: Path, text: str, files: Iterable[Path], defined_in: Mapping[str, Path]) -> Uses:
    """Return the other files that a file uses, each with the name that it includes or mentions."""
    found: Uses = {}
    for match in _INCLUDE.finditer(text):
        if (header := CORE / f"{match[1]}.h") in files:
            found.setdefault(header, header.name)
    for match in _NAME.finditer(text):
        if match[0] in defined_in:
            found.setdefault(defined_in[match[0]], match[0])
    for pattern, target in _MACROS.items():
        if (macro := pattern.search(text)) and (source := CORE / target) in files:
            found.setdefault(source, macro[0])
    # Not its own header or source: they may use each other.
    return {target: name for target, name in found.items() if target.stem != file.stem}


def _circle(graph: Mapping[Path, Iterable[Path]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        names = " -> ".join(file.name for file in reversed(error.args[1]))
        return [f"{CORE}: a circle of files: {names}"]
    return []


def check(root: Path, files: Iterable[Path]) -> list[str]:
    """Check sources and headers, given relative to `root`; return one line per violation."""
    layer_of = {stem: layer for layer, stems in LAYERS.items() for stem in stems}
    core = sorted(file for file in files if file.parent == CORE)
    problems = [
        f"{file}: add it to a layer (LAYERS in tools/check/c_layers.py)"
        for file in core
        if file.stem not in layer_of
    ]
    code = {file: _code(root, file) for file in core}
    defined_in = {
        name: file for file in core if file.suffix == ".c" for name in definitions(code[file])
    }
    graph = {file: uses(file, code[file], code, defined_in) for file in core}
    for file, targets in graph.items():
        layer = layer_of.get(file.stem, "")
        allowed = ALLOWED.get(layer, frozenset()) | {layer}
        problems += [
            f"{file}: {layer} must not use {target.name} ({layer_of[target.stem]}): {name}"
            for target, name in sorted(targets.items())
            if target.stem in layer_of and layer_of[target.stem] not in allowed
        ]
    return problems + _circle(graph)
