"""Parse the words of `tickertape control`: classes, events, threads and values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.control.client import EVERY_EVENT
from tickertape.errors import DictionaryMismatch, UsageError
from tickertape.model.codes import thread_id
from tickertape.protocol.events import DICTIONARY_HASH, EVENTS
from tickertape.protocol.lookup import class_name, event_label, event_type
from tickertape.protocol.matching import class_of, codes_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tickertape.control import ControlClient
    from tickertape.protocol.wire import ObjectKind

ALL: Final = "all"
_ANY: Final = "any"
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-fA-F]+")
_EVENTS_IN_CLASS: Final = 1 << 10
_USER: Final = "USER"
_LAST_WORD: Final = (1 << 32) - 1
_FIRST_WORD: Final = -(1 << 31)


@dataclass(frozen=True, slots=True)
class Span:
    """An event type, or every event of a class.

    Attributes:
        cls: number of the class.
        event: number of the event, or `EVERY_EVENT`.
        label: name to print.
    """

    cls: int
    event: int
    label: str


def classes_in(words: Iterable[str]) -> list[int]:
    """Return the numbers of classes, each once, in the order of the words.

    Raises:
        UsageError: a class is unknown.
    """
    return list(dict.fromkeys(class_of(word) for word in words))


def events_in(words: Iterable[str]) -> list[Span]:
    """Find the events that words mean: names, patterns, CLASS.7, or a number of class USER.

    Raises:
        UsageError: a word matches no event.
    """
    codes = [code for word in words for code in sorted(codes_of(_with_class(word)))]
    return [_event(code) for code in dict.fromkeys(codes)]


def spans_in(words: Iterable[str]) -> list[Span]:
    """Find what words mean: a class by its name, `all` for every class, events as `events_in`.

    Raises:
        UsageError: a word matches no class and no event.
    """
    spans: list[Span] = []
    for word in words:
        if word.lower() == ALL:
            spans += [_class(number) for number in sorted({key[0] for key in EVENTS})]
        elif _is_class(word):
            spans.append(_class(class_of(word)))
        else:
            spans += events_in([word])
    return list(dict.fromkeys(spans))


def _with_class(word: str) -> str:
    return f"{_USER}.{word}" if word.isascii() and word.isdigit() else word


def _is_class(word: str) -> bool:
    if word[:1].isdigit():
        return False  # a number alone is an event
    try:
        class_of(word)
    except UsageError:
        return False
    return True


def _class(number: int) -> Span:
    return Span(number, EVERY_EVENT, class_name(number))


def _event(code: int) -> Span:
    cls, event = divmod(code, _EVENTS_IN_CLASS)
    return Span(cls, event, event_label(event_type(cls, event)))


def word_of(text: str) -> int | None:
    """Parse a word of an event, `12`, `-1` or `0xbeef`; None if the text is not a number.

    Raises:
        UsageError: the number does not fit 32 bits.
    """
    try:
        number = int(text, 0)
    except ValueError:
        return None
    if not _FIRST_WORD <= number <= _LAST_WORD:
        raise UsageError(f"{text} does not fit a word of 32 bits", "give a smaller number")
    return number & _LAST_WORD


def number_of(client: ControlClient, kind: ObjectKind, word: str) -> int:
    """Find a thread or domain by its number or its name; `any` is 0.

    Raises:
        UsageError: no object has this name, or several have it.
    """
    what = kind.name.lower()
    if word.lower() == _ANY:
        return 0
    if _NUMBER.fullmatch(word):
        number = int(word, 16 if word.startswith("0x") else 10)
        if number > _LAST_WORD:
            raise UsageError(f"no {what} has number {word}", "give a smaller one")
        return number
    found = client.numbers(kind, word)
    if not found:
        raise UsageError(f"the target has no {what} called {word}", "give its number, or any")
    if len(found) > 1:
        numbers = ", ".join(map(thread_id, sorted(found)))
        raise UsageError(f"several {what}s are called {word}", f"give a number: {numbers}")
    return found[0]


def check_names(client: ControlClient, words: Iterable[str]) -> None:
    """Check that names mean the same to the target, by its list of events; numbers always do.

    Raises:
        DictionaryMismatch: the target has another list of events.
    """
    named = [word for word in words if any(letter.isalpha() for letter in word)]
    if named and client.meet().dictionary != DICTIONARY_HASH:
        raise DictionaryMismatch(
            f"the target was built with another list of events, so {named[0]} may mean something"
            " else to it",
            "use numbers, such as 6.7 for USER.7, or build the firmware with this tickertape",
        )
