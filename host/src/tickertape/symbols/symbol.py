"""One function or variable of an ELF file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Symbol:
    """One function or variable.

    Attributes:
        address: low 32 bits of its address, without the Thumb bit.
        size_bytes: its size; 0 if unknown.
        name: name as in source code; C++ names are demangled.
        letter: type letter of `nm`: T, t code, D, d data, B, b zeroed data, ? unknown; upper case
            means global.
        linker_name: name for the linker, if it differs from `name`.
    """

    address: int
    size_bytes: int
    name: str
    letter: str = "?"
    linker_name: str = ""

    def is_called(self, name: str) -> bool:
        """Return whether `name` names this symbol, with or without a parameter list."""
        return name in (self.name, self.linker_name) or self.name.startswith(f"{name}(")
