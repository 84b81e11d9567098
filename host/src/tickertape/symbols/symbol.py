"""One function or variable of an ELF file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Symbol:
    """One function or variable.

    Attributes:
        address: low 32 bits of where it begins, without the Thumb bit.
        size_bytes: its size; 0 where the linker does not know.
        name: as it is written in source; C++ names demangled.
        letter: what it is, as `nm` writes it: T, t code, D, d data, B, b zeroed data, ? unknown;
            upper case where it is global.
        linker_name: as the linker knows it, where that differs from `name`.
    """

    address: int
    size_bytes: int
    name: str
    letter: str = "?"
    linker_name: str = ""

    def is_called(self, name: str) -> bool:
        """Return whether `name` names this symbol, with or without a parameter list."""
        return name in (self.name, self.linker_name) or self.name.startswith(f"{name}(")
