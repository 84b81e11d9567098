"""Ends of lines by templates: for events whose words are new numbers again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.protocol.lookup import event_type
from tickertape.protocol.wire import CLASS_SHIFT, EVENT_MASK

if TYPE_CHECKING:
    from collections.abc import Callable

_WORDS: Final = 2
_NAMED: Final = {"i32", "thread", "irq", "object", "address"}  # not just digits


class Template:
    """How an event of one record is written whose words are shown as plain numbers."""

    def __init__(self, middle: str, code: int) -> None:
        """Make the template of a type.

        Args:
            middle: what stands between time and fields.
            code: class << 10 | event.
        """
        fields = event_type(code >> CLASS_SHIFT, code & EVENT_MASK).fields[:_WORDS]
        shown = [(place, one) for place, one in enumerate(fields) if one.name != "unused"]
        self.suits = len(shown) == _WORDS and not any(one.type in _NAMED for _, one in shown)
        marks = " ".join(f"{one.name}={'0x%x' if one.type == 'hex' else '%d'}" for _, one in shown)
        self._form = f"{middle.replace('%', '%%')}{marks}\n".encode("utf-8", errors="replace")

    def write(self, word0: int, word1: int) -> bytes:
        """Write the end of a line, if the type suits."""
        return self._form % (word0, word1)


class Templates:
    """Templates of what was seen, until names change."""

    def __init__(self, middle_of: Callable[[int, int, int], str]) -> None:
        """Begin with none; `middle_of` is asked with CPU, thread and code."""
        self._middle_of = middle_of
        self._known: dict[tuple[int, int, int], Template] = {}

    def forget(self) -> None:
        """Forget all."""
        self._known.clear()

    def get(self, cpu: int, tid: int, code: int) -> Template:
        """Give the template of a type on a CPU while a thread runs."""
        key = (cpu, tid, code)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Template(self._middle_of(*key), code)
        return known
