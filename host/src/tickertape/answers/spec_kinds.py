"""The kinds of requirements: their keys, the type of each value, and how to print them.

The table is the only list: the parser, the JSON schema and docs/check.md come from it. The first
key of a requirement is its kind, and its value is the subject.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA_ID: Final = "tickertape-timing-1"
TIME_PATTERN: Final = r"^\s*[0-9]*\.?[0-9]+\s*(s|ms|us|µs|ns)\s*$"
PERCENT_PATTERN: Final = r"^\s*[0-9]*\.?[0-9]+\s*%\s*$"


class Type(Enum):
    """Types of values; the texts describe them in errors and in the JSON schema."""

    TIME = "a time with its unit, such as 2 ms or 150 us"
    PERCENT = "a percentage, such as 80 %"
    COUNT = "a whole number from 0 on"
    NAME = "a name"
    TASK = "the name of a task"
    CPU_OR_TASK = "the number of a CPU, or the name of a task"
    TASK_OR_ANY = "the name of a task, or any"
    OBJECT = "the name of a mutex, semaphore or other object"
    INTERRUPT = "the name of an interrupt"
    EVENT = "an event such as USER.3 or THREAD.READY"
    EVENTS = "two events"
    SECTIONS = "a list of pairs of events, the begin and the end of each section"
    TRUE = "true"


_SCHEMAS: Final[Mapping[Type, Mapping[str, object]]] = {
    Type.TIME: {"type": "string", "pattern": TIME_PATTERN},
    Type.PERCENT: {"type": "string", "pattern": PERCENT_PATTERN},
    Type.COUNT: {"type": "integer", "minimum": 0},
    Type.CPU_OR_TASK: {"type": ["integer", "string"]},
    Type.TRUE: {"const": True},
    Type.EVENTS: {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
    Type.SECTIONS: {
        "type": "array",
        "minItems": 2,
        "items": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 2,
            "maxItems": 2,
        },
    },
}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of requirement.

    Attributes:
        subject: type of the value of its first key.
        sentence: the requirement in words, with `{key}` for values.
        required: further keys that it needs.
        optional: further keys that it may have.
        any_of: at least one of these optional keys is needed.
    """

    subject: Type
    sentence: str
    required: Mapping[str, Type] = field(default_factory=dict)
    optional: Mapping[str, Type] = field(default_factory=dict)
    any_of: tuple[str, ...] = ()

    @property
    def keys(self) -> Mapping[str, Type]:
        """All further keys."""
        return {**self.required, **self.optional, "name": Type.NAME}


_MAX: Final = {"max": Type.TIME}

KINDS: Final[Mapping[str, Kind]] = {
    "response": Kind(
        Type.TASK, "Each instance of {response} ends within {max} of its activation.", _MAX
    ),
    "deadline": Kind(
        Type.TASK,
        "Each instance of {deadline} ends within {within} of its activation.",
        {},
        {"within": Type.TIME},
    ),
    "latency": Kind(
        Type.TASK, "Each instance of {latency} runs within {max} of its activation.", _MAX
    ),
    "execution": Kind(
        Type.TASK, "Each instance of {execution} has a CPU for at most {max} in total.", _MAX
    ),
    "blocking": Kind(
        Type.TASK,
        "Each instance of {blocking} waits for {on} for at most {max} in total.",
        _MAX,
        {"on": Type.OBJECT},
    ),
    "period": Kind(
        Type.TASK,
        "Activations of {period} follow each other after at least {min} and at most {max}.",
        {},
        {"min": Type.TIME, "max": Type.TIME},
        ("min", "max"),
    ),
    "jitter": Kind(
        Type.TASK,
        "The longest and the shortest distance of activations of {jitter} differ by at most {max}.",
        _MAX,
    ),
    "load": Kind(
        Type.CPU_OR_TASK, "The CPU load of {load} is at most {max}.", {"max": Type.PERCENT}
    ),
    "service": Kind(
        Type.INTERRUPT, "Each service of interrupt {service} takes at most {max}.", _MAX
    ),
    "order": Kind(
        Type.EVENTS,
        "After each {order[0]} there is {order[1]} within {within}.",
        {"within": Type.TIME},
    ),
    "never": Kind(
        Type.EVENT,
        "There is no {never} without {without} since the {never} before.",
        {"without": Type.EVENT},
    ),
    "rate": Kind(
        Type.EVENT,
        "There are at most {at_most} {rate} in any {window}.",
        {"at_most": Type.COUNT, "window": Type.TIME},
    ),
    "exclusive": Kind(Type.SECTIONS, "No two of these sections are open at a time: {exclusive}."),
    "inversion": Kind(
        Type.TASK_OR_ANY,
        "No less urgent task runs for more than {max} while {inversion} waits for a mutex.",
        _MAX,
    ),
    "no_deadlock": Kind(Type.TRUE, "No tasks wait for each other's mutexes."),
    "no_losses": Kind(Type.TRUE, "No record is lost."),
}


def schema() -> dict[str, object]:
    """Return the JSON schema of a specification."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "Timing requirements of tickertape",
        "type": "object",
        "required": ["requirements"],
        "additionalProperties": False,
        "properties": {
            "version": {"const": 1},
            "requirements": {
                "type": "array",
                "minItems": 1,
                "items": {"oneOf": [_schema_of(name, kind) for name, kind in KINDS.items()]},
            },
        },
    }


def _schema_of(name: str, kind: Kind) -> dict[str, object]:
    properties = {
        key: {"description": what.value, **_SCHEMAS.get(what, {"type": "string"})}
        for key, what in {name: kind.subject, **kind.keys}.items()
    }
    found: dict[str, object] = {
        "description": kind.sentence,
        "type": "object",
        "required": [name, *kind.required],
        "additionalProperties": False,
        "properties": properties,
    }
    if kind.any_of:
        found["anyOf"] = [{"required": [key]} for key in kind.any_of]
    return found
