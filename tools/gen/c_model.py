"""host/src/tickertape/_native/model_tables.h: numbers of the model, for the compiled part.

The model is Python (`tickertape.model`); its compiled engine defines no numbers itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.answers.instance import Doing, Ended
from tickertape.model.entities import Kind
from tickertape.model.transitions import NO_ENTITY, NOT_KNOWN, Action, State
from tools.gen.c_text import banner, defines, finish, number

if TYPE_CHECKING:
    from collections.abc import Iterator
    from enum import IntEnum

    from tools.gen.dictionary import Dictionary

PATH = "host/src/tickertape/_native/model_tables.h"

_TEXT = """
Numbers of the model of the kernel: kinds of entities, states, actions, and the events that its
handlers distinguish. Sources: model/entities.py, model/transitions.py, answers/instance.py and
protocol/events.yaml.
"""
# Events that a handler for several events distinguishes.
_EVENTS = (
    ("THREAD", "STOPPED"),
    ("THREAD", "NANOSLEEP"),
    ("THREAD", "MUTEX"),
    ("SYNC", "MUTEX_TRY_REFUSED"),
    ("SCHED", "TIMER"),
    ("SCHED", "STIMULUS"),
    ("COMM", "REPLY"),
    ("DOMAIN", "SYSCALL_ENTER"),
    ("DOMAIN", "SYSCALL_EXIT"),
)
_CLASS_SHIFT = 10


def render(dictionary: Dictionary) -> str:
    """Return the text of the header."""
    lines = banner("protocol/events.yaml and tickertape.model", _TEXT)
    lines += [
        "#ifndef TICKERTAPE_NATIVE_MODEL_TABLES_H",
        "#define TICKERTAPE_NATIVE_MODEL_TABLES_H",
    ]
    lines += ["", f"#define TT_NO_ENTITY ({NO_ENTITY})", f"#define TT_NOT_KNOWN ({NOT_KNOWN})", ""]
    enumerations = {"KIND": Kind, "STATE": State, "ACTION": Action, "DOING": Doing, "ENDED": Ended}
    for stem, numbers in enumerations.items():
        lines += _enumeration(stem, numbers)
    lines += [
        "/* class << 10 | event */",
        *defines(list(_codes(dictionary))),
    ]
    return finish([*lines, "", "#endif"])


def _enumeration(stem: str, numbers: type[IntEnum]) -> Iterator[str]:
    yield "enum {"
    members = [f"    TT_{stem}_{one.name} = {one.value}" for one in numbers]
    yield from (f"{line}," for line in members)
    yield f"    TT_{stem}_COUNT = {max(numbers) + 1}"
    yield from ("};", "")


def _codes(dictionary: Dictionary) -> Iterator[tuple[str, str]]:
    found = {
        (one.name, event.name): one.number << _CLASS_SHIFT | event.number
        for one in dictionary.classes
        for event in one.events
    }
    for key in _EVENTS:
        yield "TT_EVENT_" + "_".join(key), number(found[key])
