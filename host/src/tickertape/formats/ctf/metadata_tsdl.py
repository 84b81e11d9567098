"""Writes the metadata of a CTF 1.8 trace in the Trace Stream Description Language (TSDL).

Field names begin with an underscore, which readers remove, because many names (`stream`, `event`)
are keywords of the language.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.formats.ctf.stream import CONTEXT_FIELDS, HEAD_FIELDS

if TYPE_CHECKING:
    from tickertape.formats.ctf.types import CtfEvent, CtfField

_CLOCKED: Final = frozenset({"timestamp_begin", "timestamp_end"})
_TYPES: Final = {
    "unsigned": "u32 _{name};",
    "signed": "s32 _{name};",
    "hexadecimal": "x32 _{name};",
    "text": "string _{name};",
    "bytes": "u8 _{name}[_length];",
}
_HEAD: Final = """\
/* CTF 1.8 */

typealias integer {{ size = 8; align = 8; signed = false; }} := u8;
typealias integer {{ size = 32; align = 32; signed = false; }} := u32;
typealias integer {{ size = 32; align = 32; signed = true; }} := s32;
typealias integer {{ size = 32; align = 32; signed = false; base = 16; }} := x32;
typealias integer {{ size = 64; align = 32; signed = false; }} := u64;

trace {{
    major = 1;
    minor = 8;
    byte_order = le;
    packet.header := struct {{ {header} }};
}};

env {{
    tracer_name = "tickertape";
    tracer_version = "{program}";
    target = "{target}";
    boot = {boot};
}};

clock {{
    name = ticks;
    description = "clock of the target, from its start";
    freq = {tick_hz};
}};

typealias integer {{ size = 32; align = 32; signed = false; map = clock.ticks.value; }} := t32;
typealias integer {{ size = 64; align = 32; signed = false; map = clock.ticks.value; }} := t64;

stream {{
    id = 0;
    packet.context := struct {{ {context} }};
    event.header := struct {{
        t32 timestamp;
        integer {{ size = 24; align = 8; signed = false; }} id;
    }};
    event.context := struct {{
        integer {{ size = 6; align = 1; signed = false; }} _domain;
        integer {{ size = 1; align = 1; signed = false; }} _host;
        integer {{ size = 1; align = 1; signed = false; }} _truncated;
    }};
}};
"""


@dataclass(frozen=True, slots=True)
class TraceFacts:
    """The contents of the metadata of one trace.

    Attributes:
        program: version of tickertape.
        target: description of the target in its HELLO.
        boot: boot of the target within the tape, from 0.
        tick_hz: clock rate.
        events: event types that occur in the trace.
    """

    program: str
    target: str
    boot: int
    tick_hz: int
    events: tuple[CtfEvent, ...]


def tsdl_metadata(facts: TraceFacts) -> bytes:
    """Return the file `metadata` of a trace."""
    head = _HEAD.format(
        header=" ".join(f"u{bits} {name};" for name, bits in HEAD_FIELDS),
        context=" ".join(
            f"{'t' if name in _CLOCKED else 'u'}{bits} {_safe(name)};"
            for name, bits in CONTEXT_FIELDS
        ),
        program=_quotable(facts.program),
        target=_quotable(facts.target),
        boot=facts.boot,
        tick_hz=facts.tick_hz,
    )
    return (head + "".join(_event(event) for event in facts.events)).encode()


def _event(event: CtfEvent) -> str:
    fields = " ".join(_field(field) for field in event.fields)
    return (
        f'\nevent {{ id = {event.id}; name = "{event.name}"; stream_id = 0; '
        f"fields := struct {{ {fields} }}; }};\n"
    )


def _field(field: CtfField) -> str:
    return _TYPES[field.kind].format(name=field.name)


def _safe(name: str) -> str:
    """Return a name, with an underscore if it is a keyword."""
    return f"_{name}" if name == "stream" else name


def _quotable(text: str) -> str:
    """Remove characters that a TSDL string cannot contain."""
    return "".join(one for one in text if one.isprintable() and one not in '"\\')
