"""docs/events.md: the reference page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tools.gen.dictionary import Dictionary, Event, EventClass, Field

PATH = "docs/events.md"

_INTRODUCTION = """\
# Events

All events that tickertape can record. An event type is a class and a number. A simple event
carries two words; a *text* event, which is a combine event, carries two words and a text of any
length. The emitter of an event is `tt_emit_<class>_<event>()` in `tickertape/emitters.h`. *Since*
is the version of the protocol that introduced the event.

Types of words: `u32` decimal, `i32` signed, `hex` bits, `address` a code address, `object` the
address of a kernel object, `thread` a thread number (0 = idle), `irq` an exception number,
`ticks` a time in ticks of the tracer's clock.

Some events have two forms. The target records one of them, selected by class or by event
(`tt_set_wide()`, command WIDE). The *fast* form is a simple event; the *wide* form is a combine
event with the same two words and further ones. The emitter takes all words, and evaluates those
of the wide form only when it records that form.
"""


_WIDE = ("the wide form adds",)
_PAYLOADS = {"": "", "string": " Carries a text.", "values": " More values may follow."}


def render(dictionary: Dictionary) -> str:
    """Return the text of the page."""
    lines = ["<!-- Generated from protocol/events.yaml by make gen; do not edit. -->", ""]
    lines += _INTRODUCTION.splitlines()
    lines += ["", "| class | number | what |", "| --- | --- | --- |"]
    for event_class in dictionary.classes:
        name = event_class.name
        shown = f"[{name}](#{name.lower()})" if event_class.events else name
        lines.append(f"| {shown} | {event_class.number} | {_cell(event_class.doc)} |")
    span = f"{dictionary.application_first}-{dictionary.application_last}"
    lines.append(f"| - | {span} | Free for applications: any numbers; one route per class. |")
    for event_class in dictionary.classes:
        if event_class.events:
            lines += ["", *_class(event_class)]
    lines += ["", f"Hash of this dictionary: `0x{dictionary.hash():016x}`."]
    return "\n".join(lines) + "\n"


def _class(event_class: EventClass) -> Iterator[str]:
    yield f"## {event_class.name}"
    yield ""
    aliases = f" Also called {', '.join(event_class.aliases)}." if event_class.aliases else ""
    yield f"Class {event_class.number}. {event_class.doc}{aliases}"
    yield ""
    if event_class.calls:
        yield from _calls(event_class)
        return
    for group in event_class.groups:
        if group.declared:
            emitter = f"tt_emit_{event_class.name.lower()}_{group.name.lower()}"
            last = group.first + group.count - 1
            yield f"Events {group.first}-{last} also share the emitter `{emitter}()`."
            yield ""
    wide = any(event.wide for event in event_class.events)
    yield _line("event", "number", "first word", "second word", *_WIDE[:wide], "what", "since")
    yield _line(*["---"] * (6 + wide))
    for name, number, event in _rows(event_class):
        words = [_word(entry) for entry in event.fields] + ["-", "-"]
        more = [_arguments(event.wide)] * wide
        doc = event.doc + _PAYLOADS[event.payload]
        yield _line(name, number, *words[:2], *more, _cell(doc), f"1.{event.since}")
    yield from _wide_words([event.wide for event in event_class.events])


def _rows(event_class: EventClass) -> Iterator[tuple[str, str, Event]]:
    counted = event_class.counted
    groups = {group.name: group for group in event_class.groups if not group.declared}
    for event in event_class.events:
        if event.name not in counted:
            yield event.name, str(event.number), event
        elif event.number == groups[event.base].first:
            last = event.number + groups[event.base].count - 1
            yield event.base, f"{event.number}-{last}", event


def _calls(event_class: EventClass) -> Iterator[str]:
    wide = any(kind.wide for kind in event_class.kinds)
    yield _line("moment", "event number", "first word", "second word", *_WIDE[:wide], "when")
    yield _line(*["---"] * (5 + wide))
    for kind in event_class.kinds:
        words = [_word(entry) for entry in kind.fields] + ["-", "-"]
        more = [_arguments(kind.wide)] * wide
        number = f"call + {kind.offset}" if kind.offset else "call"
        yield _line(kind.suffix, number, *words[:2], *more, _cell(kind.doc))
    yield from _wide_words([kind.wide for kind in event_class.kinds])
    yield ""
    yield _line("call", "number", "words on entry", "what", "since")
    yield _line(*["---"] * 5)
    for call in event_class.calls:
        words = [call.name, str(call.number), _arguments(call.args), _cell(call.doc)]
        yield _line(*words, f"1.{call.since}")


def _wide_words(lists: Sequence[Sequence[Field]]) -> Iterator[str]:
    """Yield the meanings of the words of the wide forms, each once."""
    entries = dict.fromkeys(_word(entry) for wide in lists for entry in wide)
    if "-" in entries:
        del entries["-"]
    if entries:
        yield ""
        yield "In the wide form:"
        yield ""
        yield from (f"* {entry}" for entry in entries)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _arguments(args: Sequence[Field] | None) -> str:
    if args is None:
        return "not described"
    return ", ".join(f"`{entry.name}` {entry.type}" for entry in args) or "-"


def _word(entry: Field) -> str:
    if entry.name == "unused":
        return "-"
    return f"`{entry.name}` {entry.type}: {_cell(entry.doc)}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
