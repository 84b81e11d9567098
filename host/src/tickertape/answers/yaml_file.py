"""Read YAML files: specifications and suites, with limits and the place of every error.

A file has at most 1 MiB, 32 levels and 4 096 characters in a value. Values are text, whole numbers,
numbers, true, false, empty, lists and mappings: no dates and no tags.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import yaml

from tickertape.errors import UsageError
from tickertape.text import escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

LARGEST_BYTES: Final = 1 << 20
_DEEPEST: Final = 32
_LONGEST: Final = 4096
_LONGEST_NUMBER: Final = 30
_OPENING: Final = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
_CLOSING: Final = (yaml.SequenceEndEvent, yaml.MappingEndEvent)
_FORM: Final = "correct that line; the file is YAML in UTF-8"


def compose(data: bytes, file: str) -> yaml.Node | None:
    """Parse YAML to nodes, which carry their places; None for an empty file.

    Raises:
        UsageError: it is not YAML, or exceeds a limit.
    """
    if len(data) > LARGEST_BYTES:
        raise UsageError(f"{file} is larger than 1 MiB", "split the file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise UsageError(
            f"{file}:{line}:{column}: this is not text in UTF-8", "write it in UTF-8"
        ) from error
    try:
        _check_limits(text, file)
        return yaml.compose(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{file}:{mark.line + 1}:{mark.column + 1}" if mark else file
        problem = escaped(str(error.problem or error.context))
        raise UsageError(f"{where}: this is not YAML: {problem}", "correct that line") from error
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        column = len(before) - (before.rfind("\n") + 1) + 1
        where = f"{file}:{before.count(chr(10)) + 1}:{column}"
        raise UsageError(
            f"{where}: this is not YAML: a character that is not allowed", _FORM
        ) from error


def _check_limits(text: str, file: str) -> None:
    """Check depth and length of values before nodes are made.

    Raises:
        UsageError: a limit is exceeded.
    """
    depth = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        depth += isinstance(event, _OPENING) - isinstance(event, _CLOSING)
        if depth > _DEEPEST:
            raise _error(file, event, f"more than {_DEEPEST} levels", "nest fewer lists")
        if isinstance(event, yaml.AliasEvent):
            raise _error(file, event, "an alias", "write the value itself")
        if isinstance(event, yaml.ScalarEvent) and len(event.value) > _LONGEST:
            raise _error(file, event, f"more than {_LONGEST} characters", "write a shorter value")


def read(path: Path) -> dict[str, Any]:
    """Read a file whose top level is a mapping, as values of Python.

    Raises:
        UsageError: the file cannot be read, is not YAML, or has a value of another type.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", "check its name") from error
    node = compose(data, str(path))
    if not isinstance(node, yaml.MappingNode):
        raise UsageError(f"{path}:1:1: there is no mapping", "begin with a line 'key: value'")
    found: dict[str, Any] = _value(node, str(path))
    return found


def _value(node: yaml.Node, file: str) -> Any:  # noqa: ANN401 - the values of a file
    if isinstance(node, yaml.SequenceNode):
        return [_value(one, file) for one in node.value]
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _error(file, key, "this key is not a word", "write a word before the colon")
            if key.value in found:
                raise _error(file, key, f"the key {key.value} is here twice", "remove one")
            found[key.value] = _value(value, file)
        return found
    kind = node.tag.rpartition(":")[2]
    reader = _SCALARS.get(kind)
    if reader is None:
        raise _error(file, node, f"this is a {kind}, not text or a number", "put it in quotes")
    try:
        return reader(node.value)
    except ValueError as error:
        raise _error(file, node, "this number cannot be used", "write a smaller one") from error


def _whole(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        raise ValueError(text)
    return int(text.replace("_", ""), 0)


def _number(text: str) -> float:
    found = float(text.replace("_", ""))
    if not math.isfinite(found):
        raise ValueError(text)
    return found


_SCALARS: Final[Mapping[str, Callable[[str], Any]]] = {
    "str": str,
    "int": _whole,
    "float": _number,
    "bool": lambda text: text.lower() in {"true", "yes", "on"},
    "null": lambda _text: None,
}


def _error(file: str, node: yaml.Node | yaml.Event, problem: str, advice: str) -> UsageError:
    mark = node.start_mark
    where = f"{file}:{mark.line + 1}:{mark.column + 1}" if mark else file
    return UsageError(f"{where}: {escaped(problem)}", advice)
