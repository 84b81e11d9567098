"""Generate the interface of the compiled part of the host, in C and for ctypes."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, Final

from tools.gen.c_text import banner, comment
from tools.gen.formatters import c_format, python_format
from tools.gen.py_text import camel, header, prose, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tools.gen.source import Source

_FOLDER: Final = "host/src/tickertape/_native"
_SOURCE: Final = "protocol/native.yaml"
_C_TEXT: Final = """
Interface between the C sources and the Python modules of the compiled part. Functions return 0, or
-1 without memory, unless their description differs. No function does I/O. Two threads must not use
one handle at the same time.
"""
_SIZES: Final = {"char": 1, **{f"{u}int{n}_t": n // 8 for u in ("", "u") for n in (8, 16, 32, 64)}}
_POINTER_BYTES: Final = 8  # on the platforms that assert the layout
_ARRAY: Final = re.compile(r"(\w+)\[(\w+)\]")
_FUNCTION: Final = re.compile(r"(\w+) \(\*\)\((.*)\)")
_PROTOTYPE: Final = re.compile(r"(.+?)(\w+)\((.*)\)")


def render(source: Source) -> dict[str, str]:
    """Return the text of the three files, by path."""
    native = _Native(source.data)
    return {
        f"{_FOLDER}/interface.h": c_format("\n".join(native.header())),
        f"{_FOLDER}/interface.c": c_format("\n".join(native.assertions())),
        f"{_FOLDER}/interface.py": python_format("\n".join(native.module())),
    }


class _Native:
    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self._structs: dict[str, dict[str, list[str]]] = {
            name: one["fields"] for name, one in data["structs"].items()
        }
        meaning = json.dumps(data, sort_keys=False).encode()
        self._checksum = int.from_bytes(hashlib.sha256(meaning).digest()[:8])

    def header(self) -> Iterator[str]:
        yield from banner(_SOURCE, _C_TEXT)
        yield "#ifndef TICKERTAPE_NATIVE_INTERFACE_H\n#define TICKERTAPE_NATIVE_INTERFACE_H\n"
        yield "#include <stdint.h>\n"
        for name, (value, doc) in self._data["constants"].items():
            shown = f"({value})" if value < 0 else f"{value}u"
            yield f"#define TT_{name} {shown} /* {doc} */"
        for prefix, enum in self._data["enums"].items():
            yield from ("", *comment(enum["doc"]), "enum {")
            for name, value, doc in _values(enum):
                yield f"TT_{prefix}_{name} = {value}, {_remark(doc)}"
            yield f"TT_{enum['count']} = {len(enum['values'])}" if "count" in enum else ""
            yield "};"
        yield ""
        for handle in self._data["handles"]:
            yield f"typedef struct tt_{handle} tt_{handle}_t;"
        for struct, fields in self._structs.items():
            yield from ("", *comment(self._data["structs"][struct]["doc"]))
            yield f"typedef struct tt_{struct} {{"
            for name, (kind, *doc) in fields.items():
                yield f"{_declared(kind, name)}; {_remark(' '.join(doc))}"
            yield f"}} tt_{struct}_t;"
        for prototype, doc in self._data["functions"]:
            yield from ("", *comment(doc), f"{prototype};")
        yield "\n#endif"

    def assertions(self) -> Iterator[str]:
        doc = "The layout that interface.py expects where a pointer has 64 bits."
        yield from banner(_SOURCE, doc)
        yield '#include "interface.h"\n\n#include <stddef.h>\n\n#if UINTPTR_MAX == UINT64_MAX'
        for struct, fields in self._structs.items():
            at = 0
            for name, (kind, *_) in fields.items():
                size, align = self._size(kind)
                at += -at % align
                yield f'_Static_assert(offsetof(tt_{struct}_t, {name}) == {at}, "{name}");'
                at += size
            size, _ = self._size(f"tt_{struct}_t")
            yield f'_Static_assert(sizeof(tt_{struct}_t) == {size}, "{struct}");'
        yield "#endif\n\nuint64_t tt_native_checksum(void)\n{"
        yield f"return UINT64_C(0x{self._checksum:016x});\n}}"

    def module(self) -> Iterator[str]:
        yield from header(_SOURCE, "The interface of the compiled part, for ctypes.")
        yield "from ctypes import CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_int, c_int64"
        yield "from ctypes import c_int32, c_uint8, c_uint32, c_uint64, c_void_p"
        yield "from enum import IntEnum, IntFlag\nfrom typing import Any, Final\n"
        yield f"import numpy as np\n\nCHECKSUM: Final = 0x{self._checksum:016X}"
        for name, (value, _) in self._data["constants"].items():
            yield f"{name}: Final = {value}"
        for prefix, enum in self._data["enums"].items():
            base = "IntFlag" if enum.get("flags") else "IntEnum"
            name = enum.get("python", camel(prefix))
            yield from ("", "", f"class {name}({base}):", *prose(enum["doc"], "    "), "")
            for name, value, doc in _values(enum):
                yield f"    {name} = {value}"
                yield from prose(doc, "    ") if doc else ()
        for struct, fields in self._structs.items():
            doc = self._data["structs"][struct]["doc"]
            yield from ("", "", f"class {camel(struct)}(Structure):", *prose(doc, "    "), "")
            pairs = [f"({text(name)}, {self._ctype(kind)})" for name, (kind, *_) in fields.items()]
            yield f"    _fields_ = ({', '.join(pairs)},)"
        for struct, one in self._data["structs"].items():
            if one.get("numpy"):
                types = [(name, kind[:-2]) for name, (kind, *_) in one["fields"].items()]
                pairs = [f"({text(name)}, np.{kind})" for name, kind in types]
                yield f"\n{struct.upper()}: Final = np.dtype([{', '.join(pairs)}])"
        yield "\nFUNCTIONS: Final[dict[str, tuple[Any, tuple[Any, ...]]]] = {"
        for prototype, _ in self._data["functions"]:
            returned, name, arguments = _parsed(prototype)
            kinds = [self._argument(kind) for kind in arguments]
            items = ", ".join(kinds) + ("," if len(kinds) == 1 else "")
            yield f"    {text(name)}: ({self._argument(returned)}, ({items})),"
        yield "}"

    def _ctype(self, kind: str) -> str:
        """Return the ctypes type of a field; pointers are void."""
        if found := _FUNCTION.fullmatch(kind):
            kinds = [found[1], *(one.rsplit(maxsplit=1)[0] for one in found[2].split(", "))]
            return f"CFUNCTYPE({', '.join(map(self._ctype, kinds))})"
        if found := _ARRAY.fullmatch(kind):
            return f"{self._ctype(found[1])} * {found[2]}"
        if kind.endswith("*"):
            return "c_void_p"
        struct = kind.removeprefix("tt_").removesuffix("_t")
        return camel(struct) if struct in self._structs else f"c_{kind.removesuffix('_t')}"

    def _argument(self, kind: str) -> str:
        """Return the ctypes type of an argument or result."""
        if kind == "void":
            return "None"
        if kind == "const char *":
            return "c_char_p"
        struct = kind.removeprefix("const ").removeprefix("tt_").removesuffix("_t *")
        return f"POINTER({camel(struct)})" if struct in self._structs else self._ctype(kind)

    def _size(self, kind: str) -> tuple[int, int]:
        """Return size and alignment of a type, in bytes."""
        if found := _ARRAY.fullmatch(kind):
            size, align = self._size(found[1])
            return size * self._data["constants"][found[2]][0], align
        fields = self._structs.get(kind.removeprefix("tt_").removesuffix("_t"))
        if fields is None:
            size = _POINTER_BYTES if "*" in kind else _SIZES[kind]
            return size, size
        at, widest = 0, 1
        for one, *_ in fields.values():
            size, align = self._size(one)
            at, widest = at + -at % align + size, max(widest, align)
        return at + -at % widest, widest


def _values(enum: dict[str, Any]) -> Iterable[tuple[str, int, str]]:
    is_flags = enum.get("flags", False)
    for number, (name, doc) in enumerate(enum["values"].items()):
        yield name, 1 << number if is_flags else number, doc


def _declared(kind: str, name: str) -> str:
    if found := _ARRAY.fullmatch(kind):
        return f"{found[1]} {name}[TT_{found[2]}]"
    return kind.replace("(*)", f"(*{name})") if "(*)" in kind else f"{kind} {name}"


def _parsed(prototype: str) -> tuple[str, str, list[str]]:
    """Split a prototype into return type, name and types of the arguments."""
    found = _PROTOTYPE.fullmatch(prototype)
    if found is None:
        raise ValueError(prototype)
    given = [] if found[3] == "void" else found[3].split(", ")
    return found[1].strip(), found[2], [re.sub(r"\w+$", "", one).strip() for one in given]


def _remark(doc: str) -> str:
    return f"/* {doc} */" if doc else ""
