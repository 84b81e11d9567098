"""The hostile guests: their actions, their expected ends, and their C functions.

A body is C code with the functions of guest.h; `memory` is the beginning of the guest's domain. A
guest that survives its action calls done() and returns, so that a test can detect this.
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
EXIT: Final = "exit"  # no fault; the guest reports this and returns
ENDS: Final = "ends"  # the guest ends without a fault
LIVES: Final = "lives"  # the guest runs until the core suspends it


@dataclass(frozen=True)
class Guest:
    """A guest.

    Attributes:
        name: name, a C identifier.
        body: C code of its action.
        ends: expected end, one of the constants above.
        mate: C code of the other thread of its domain; empty: there is no such thread.
        mate_ends: the mate may end, too, by a fault or because its function returns.
        fpu: it uses the FPU; without FPU, the first such instruction is a fault.
        low: its priority is lower than that of all other threads.
        boards: boards on which it runs.
        address: address that DOMAIN FAULT must report; None: not compared.
        inside: DOMAIN FAULT must report a place inside the guest's function.
        alone: it floods the trace, so it gets a separate run, in which records may be lost.
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
        """Return the expected end on a board."""
        return FAULT if self.fpu and board != M4F else self.ends


def _function(name: str, body: str) -> str:
    return (
        f"static void __attribute__((noinline)) {name}(void *memory)\n"
        f"{{\n    (void)memory;\n    {body}\n}}\n"
    )


def write(guests: Iterable[Guest], path: Path) -> None:
    """Write the functions of these guests and their table, unless the file is up to date."""
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
