"""The hostile guests: what each does, how it ends, and C functions of them.

A body is C with what guest.h offers; `memory` is the begin of the guest's domain. A guest that
survives what it did calls done() and returns, so a test can distinguish it from one that was ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

M3: Final = "mps2-an385"
M4F: Final = "mps2-an386"
M33: Final = "mps2-an521"
BOARDS: Final = (M3, M4F, M33)

FAULT: Final = "fault"  # DOMAIN FAULT, then the end of the thread
EXIT: Final = "exit"  # nothing happens; the guest reports it and returns
ENDS: Final = "ends"  # it ends without a fault
LIVES: Final = "lives"  # it goes on until the core suspends it


@dataclass(frozen=True)
class Guest:
    """One guest.

    Attributes:
        name: a C identifier.
        body: what it does.
        ends: FAULT, EXIT or LIVES.
        mate: what the other thread of its domain does, empty for none.
        mate_ends: the mate may end as well, by a fault or because its function returns.
        fpu: it needs the FPU; without one its first instruction of that kind is a fault.
        low: it has less priority than every thread of the others.
        boards: where it runs.
        address: that DOMAIN FAULT reports, None where it is not compared.
        inside: DOMAIN FAULT reports a place inside the guest's function.
        alone: it floods the trace, so it gets a run of its own, in which records may be lost.
    """

    name: str
    body: str
    ends: str = FAULT
    mate: str = ""
    mate_ends: bool = False
    fpu: bool = False
    low: bool = False
    boards: tuple[str, ...] = BOARDS
    address: int | None = None
    inside: bool = False
    alone: bool = False

    def end_on(self, board: str) -> str:
        """How it ends on a board."""
        return FAULT if self.fpu and board != M4F else self.ends


def _function(name: str, body: str) -> str:
    return (
        f"static void __attribute__((noinline)) {name}(void *memory)\n"
        f"{{\n    (void)memory;\n    {body}\n}}\n"
    )


def write(guests: Iterable[Guest], path: Path) -> None:
    """Write the functions of these guests and their table, unless the file has them already."""
    parts, rows = [], []
    for guest in guests:
        parts.append(_function(f"guest_{guest.name}", guest.body))
        mate = "NULL"
        if guest.mate:
            mate = f"mate_{guest.name}"
            parts.append(_function(mate, guest.mate))
        flags = f"{guest.low:d}, {guest.alone:d}"
        rows.append(f'    {{"{guest.name}", guest_{guest.name}, {mate}, {flags}}},\n')
    parts.append(f"static const guest_t guests[] = {{\n{''.join(rows)}}};\n")
    text = "\n".join(parts)
    if not path.exists() or path.read_text(encoding="ascii") != text:
        path.write_text(text, encoding="ascii")
