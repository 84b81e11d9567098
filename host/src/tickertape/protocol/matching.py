"""Find event types and classes by user input: names, patterns, numbers."""

from __future__ import annotations

from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Final

from tickertape.errors import UsageError, nearest
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EVENTS, EventClass
from tickertape.protocol.lookup import class_name, event_label

if TYPE_CHECKING:
    from collections.abc import Mapping

_CLASS_COUNT: Final = 32
_EVENT_COUNT: Final = 1024


@cache
def _class_numbers() -> Mapping[str, int]:
    numbers = {class_name(number): number for number in range(_CLASS_COUNT)}
    return numbers | {name: int(known) for name, known in EventClass.__members__.items()}


def class_of(word: str) -> int:
    """Return the number of a class.

    Args:
        word: name of the class, in any case, such as `SCHED` or `APP16`, or its number.

    Raises:
        UsageError: there is no such class.
    """
    number = _class_numbers().get(word.upper())
    if number is None and word.isascii() and word.isdigit() and int(word) < _CLASS_COUNT:
        number = int(word)
    if number is None:
        raise UsageError(
            f"there is no event class {word}",
            nearest(word.upper(), [known.name for known in EventClass]),
        )
    return number


def codes_of(word: str) -> frozenset[int]:
    """Return the codes (class << 10 | event) of the events that match a word; at least one.

    Args:
        word: `CLASS.EVENT` or `EVENT`, in any case, may contain `*` and `?`; or `CLASS.77`.

    Raises:
        UsageError: there is no such event.
    """
    pattern = word.upper()
    codes = frozenset(
        what.code
        for what in EVENTS.values()
        if fnmatchcase(event_label(what), pattern) or fnmatchcase(what.name, pattern)
    )
    if codes:
        return codes
    class_, _, number = pattern.rpartition(".")
    number = number.removeprefix("EVENT_")
    if class_ and number.isascii() and number.isdigit() and int(number) < _EVENT_COUNT:
        return frozenset({event_code(class_of(class_), int(number))})
    labels = {name for what in EVENTS.values() for name in (event_label(what), what.name)}
    close = get_close_matches(pattern, labels, 3)
    raise UsageError(
        f"there is no event {word}",
        f"did you mean {', '.join(close)}?" if close else "see docs/events.md for their names",
    )
