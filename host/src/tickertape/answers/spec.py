"""Read specifications: YAML files with requirements, each value with its unit.

    requirements:
      - response: control
        max: 4 ms

Every error has file, line and column, and names the nearest key, unit or event that exists. Tasks,
interrupts and objects are compared with the tape later (`check`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

import yaml

from tickertape.answers.spec_kinds import KINDS, PERCENT_PATTERN, Type
from tickertape.answers.yaml_file import compose
from tickertape.errors import UsageError
from tickertape.protocol.matching import codes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from tickertape.answers.spec_kinds import Kind

_UNITS_NS: Final = {"s": 10**9, "ms": 10**6, "us": 10**3, "µs": 10**3, "ns": 1}
_TIME: Final = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*([^\s0-9.]*)\s*")
_PERCENT: Final = re.compile(PERCENT_PATTERN)
_LONGEST_NS: Final = 10**18
_TOP: Final = ("version", "requirements")


class SpecError(UsageError):
    """A specification cannot be used."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a specification, for messages."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        """Return file, line and column, as compilers write them."""
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Event:
    """An event: its name in the specification, and its codes, class << 10 | event."""

    name: str
    codes: frozenset[int]

    def __str__(self) -> str:
        """Return the name."""
        return self.name


Value = int | Decimal | str | bool | Event | tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement.

    Attributes:
        kind: its first key, one of `KINDS`.
        values: by key; times in ns, percentages as `Decimal`.
        texts: values as written, by key.
        places: position of each value in the file, by key.
        name: its name in reports.
    """

    kind: str
    values: Mapping[str, Value]
    texts: Mapping[str, str]
    places: Mapping[str, Place]
    name: str

    @property
    def subject(self) -> Value:
        """The value of the first key."""
        return self.values[self.kind]

    @property
    def place(self) -> Place:
        """Position of the value of the first key."""
        return self.places[self.kind]

    def ns(self, key: str) -> int | None:
        """Return a time in ns; None if the key is missing."""
        value = self.values.get(key)
        return value if isinstance(value, int) else None

    @property
    def sentence(self) -> str:
        """The requirement in a sentence."""
        texts = dict(self.texts)
        if self.kind == "period":
            texts.setdefault("min", "0 s")
            texts.setdefault("max", "any time")
        if self.kind == "deadline" and "within" not in texts:
            return f"The kernel reports no missed deadline of {texts['deadline']}."
        texts.setdefault("on", "anything")
        if self.kind == "order":
            first, second = texts["order"].split(", ")
            return f"After each {first} there is {second} within {texts['within']}."
        if texts.get("inversion") == "any":
            texts["inversion"] = "a task"
        return KINDS[self.kind].sentence.format(**texts)


def load(path: Path) -> list[Requirement]:
    """Read a specification.

    Raises:
        SpecError: the file cannot be read, or an entry is invalid.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SpecError(
            f"{path} cannot be read ({error.strerror})", "check the name of the specification"
        ) from error
    return parse(data, str(path))


def parse(data: bytes, file: str) -> list[Requirement]:
    """Read a specification from bytes; see `load`."""
    try:
        root = compose(data, file)
    except UsageError as error:
        raise SpecError(error.problem, error.advice) from error
    return _Parser(file).requirements(root)


class _Parser:
    """Converts the YAML nodes of one file to requirements."""

    def __init__(self, file: str) -> None:
        self._file = file

    def requirements(self, root: yaml.Node | None) -> list[Requirement]:
        """Return all requirements of a document."""
        if not isinstance(root, yaml.MappingNode):
            raise SpecError(
                f"{self._file}:1:1: there is no list of requirements",
                "begin with a line 'requirements:'",
            )
        entries = self._entries(root)
        for key, (node, _) in entries.items():
            if key not in _TOP:
                raise self._error(node, f"there is no key {key} here", _nearest(key, _TOP))
        if "version" in entries and _text(entries["version"][1]) != "1":
            raise self._error(entries["version"][1], "this version is unknown", "write version: 1")
        listed = entries.get("requirements", (root, None))[1]
        if not isinstance(listed, yaml.SequenceNode) or not listed.value:
            raise self._error(
                listed or root, "requirements is not a list", "begin each one with '- '"
            )
        return [self._requirement(node) for node in listed.value]

    def _requirement(self, node: yaml.Node) -> Requirement:
        if not isinstance(node, yaml.MappingNode) or not node.value:
            raise self._error(
                node, "a requirement is a list of keys", "write for example 'response: control'"
            )
        entries = self._entries(node)
        kind = next((key for key in entries if key in KINDS), None)
        if kind is None:
            first = next(iter(entries))
            raise self._error(
                entries[first][0], f"there is no requirement {first}", _nearest(first, KINDS)
            )
        known = {kind: KINDS[kind].subject, **KINDS[kind].keys}
        self._check_keys(node, kind, KINDS[kind], entries, known)
        values = {key: self._value(one, known[key], key) for key, (_, one) in entries.items()}
        texts = {key: _shown(one) for key, (_, one) in entries.items()}
        places = {key: self._place(one) for key, (_, one) in entries.items()}
        name = texts.pop("name", f"{kind} of {texts[kind]}")
        if KINDS[kind].subject is Type.TRUE:
            name = str(values.get("name", kind))
        return Requirement(kind, values, texts, places, name)

    def _check_keys(
        self,
        node: yaml.Node,
        kind: str,
        rules: Kind,
        entries: Mapping[str, tuple[yaml.Node, yaml.Node]],
        known: Iterable[str],
    ) -> None:
        """Refuse unknown keys, and a requirement without its required keys."""
        for key, (one, _) in entries.items():
            if key not in known:
                raise self._error(one, f"{kind} has no key {key}", _nearest(key, known))
        missing = [key for key in rules.required if key not in entries]
        if rules.any_of and not set(rules.any_of) & set(entries):
            missing = [" or ".join(rules.any_of)]
        if missing:
            what = rules.keys[missing[0].split()[0]].value
            raise self._error(
                node, f"{kind} needs the key {missing[0]}", f"add '{missing[0].split()[0]}: {what}'"
            )

    def _value(self, node: yaml.Node, what: Type, key: str) -> Value:
        reader = self._readers().get(what)
        if reader is not None:
            return reader(node, key)
        if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
            raise self._error(node, f"{key} has no value", f"write {what.value}")
        return str(node.value).strip()

    def _readers(self) -> Mapping[Type, Callable[[yaml.Node, str], Value]]:
        return {
            Type.TIME: self._time,
            Type.PERCENT: self._percent,
            Type.COUNT: self._count,
            Type.TRUE: self._true,
            Type.EVENT: self._event,
            Type.EVENTS: self._pair,
            Type.SECTIONS: self._sections,
        }

    def _time(self, node: yaml.Node, key: str) -> int:
        text = _text(node)
        found = _TIME.fullmatch(text)
        if found is None:
            raise self._error(node, f"{key}: {text!r} is not a time", "write for example 2 ms")
        if found[2] not in _UNITS_NS:
            raise self._error(
                node,
                f"{key}: there is no unit {found[2]}" if found[2] else f"{key}: {text} has no unit",
                _nearest(found[2], _UNITS_NS) if found[2] else "choose one of s, ms, us, ns",
            )
        ns = int(Decimal(found[1]) * _UNITS_NS[found[2]])
        if ns > _LONGEST_NS:
            raise self._error(node, f"{key}: {text} is too long", "30 years are the limit")
        if key == "window" and not ns:
            raise self._error(node, f"{key}: the window is empty", "give a longer one")
        return ns

    def _percent(self, node: yaml.Node, key: str) -> Decimal:
        text = _text(node)
        if not _PERCENT.fullmatch(text):
            raise self._error(
                node, f"{key}: {text!r} is not a percentage", "write for example 80 %"
            )
        return Decimal(text.replace("%", "").strip())

    def _count(self, node: yaml.Node, key: str) -> int:
        text = _text(node)
        if not (text.isascii() and text.isdecimal() and len(text) < len(str(_LONGEST_NS))):
            raise self._error(node, f"{key}: {text!r} is not a number", "write a whole number")
        return int(text)

    def _true(self, node: yaml.Node, key: str) -> bool:
        if _text(node) != "true":
            raise self._error(node, f"{key} can be true only", "leave it out if not wanted")
        return True

    def _event(self, node: yaml.Node, key: str) -> Event:
        text = _text(node)
        try:
            return Event(text, codes_of(text))
        except UsageError as error:
            raise self._error(node, f"{key}: {error.problem}", error.advice) from error

    def _pair(self, node: yaml.Node, key: str) -> tuple[Value, ...]:
        if not isinstance(node, yaml.SequenceNode) or len(node.value) != len(("from", "to")):
            raise self._error(node, f"{key} takes two events", "write for example [USER.1, USER.2]")
        return tuple(self._event(one, key) for one in node.value)

    def _sections(self, node: yaml.Node, key: str) -> tuple[Value, ...]:
        if not isinstance(node, yaml.SequenceNode) or len(node.value) < len(("one", "other")):
            raise self._error(
                node,
                f"{key} takes sections",
                "write for example [[USER.1, USER.2], [USER.3, USER.4]]",
            )
        return tuple(self._pair(one, key) for one in node.value)

    def _entries(self, node: yaml.MappingNode) -> dict[str, tuple[yaml.Node, yaml.Node]]:
        found: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        for key, value in node.value:
            text = _text(key)
            if text in found:
                raise self._error(key, f"the key {text} is here twice", "remove one")
            found[text] = key, value
        return found

    def _place(self, node: yaml.Node) -> Place:
        mark = node.start_mark
        return Place(self._file, mark.line + 1, mark.column + 1)

    def _error(self, node: yaml.Node, problem: str, advice: str) -> SpecError:
        return SpecError(f"{self._place(node)}: {problem}", advice)


def _text(node: yaml.Node) -> str:
    return str(node.value).strip() if isinstance(node, yaml.ScalarNode) else ""


def _shown(node: yaml.Node) -> str:
    """Return a value as text, for reports."""
    if isinstance(node, yaml.SequenceNode):
        inner = [_shown(one) for one in node.value]
        nested = any(isinstance(one, yaml.SequenceNode) for one in node.value)
        return ", ".join(f"[{one}]" for one in inner) if nested else ", ".join(inner)
    return _text(node)


def _nearest(word: str, known: Iterable[str]) -> str:
    names = list(known)
    close = get_close_matches(word, names, 1)
    return f"did you mean {close[0]}?" if close else f"choose one of: {', '.join(names)}"
