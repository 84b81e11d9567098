"""Read YAML files with line numbers, and check them against a JSON Schema.

Every complaint about a source file is a `SourceError` of the form `file:line: what; what to do`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema
import yaml

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

if TYPE_CHECKING:
    _ParserInC = yaml.SafeLoader
else:  # libyaml's parser is ten times as fast; PyYAML may be built without it
    _ParserInC = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Key = str | int


class SourceError(Exception):
    """A source file cannot be used. The message has file, line and remedy."""


class _Loader(_ParserInC):
    """Refuses a repeated key, which YAML libraries accept silently."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 -- signature of the base class
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    problem=f"the key '{key.value}' is given twice", problem_mark=key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


@dataclass(frozen=True)
class Source:
    """A parsed YAML file with the line at which each of its parts begins."""

    name: str
    data: dict[str, Any]
    root: yaml.Node

    def line(self, where: Sequence[Key]) -> int:
        """Return the line (from 1) of the part at `where`, or of its nearest parent."""
        node, mark = self.root, self.root.start_mark
        for key in where:
            found = _child(node, key)
            if found is None:
                break
            mark, node = found[0].start_mark, found[1]
        return int(mark.line) + 1

    def error(self, where: Sequence[Key], message: str) -> SourceError:
        """Return the error for the part at `where`; the caller raises it."""
        return SourceError(f"{self.name}:{self.line(where)}: {message}")


def _child(node: yaml.Node, key: Key) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the node at which a part begins (for a mapping its key), and the part."""
    if isinstance(node, yaml.MappingNode):
        return next((pair for pair in node.value if pair[0].value == key), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key], node.value[key]
    return None


def load(root: Path, name: str) -> Source:
    """Read `protocol/<name>.yaml` below `root` and check it against its schema.

    Raises:
        SourceError: the file is missing, is not YAML or violates the schema.
    """
    shown = f"protocol/{name}.yaml"
    try:
        text = (root / shown).read_text(encoding="utf-8")
    except OSError as error:
        raise SourceError(f"{shown}:1: cannot be read ({error.strerror}); restore it") from error
    schema = (root / "protocol" / "schema" / f"{name}.json").read_text(encoding="utf-8")
    return _checked(shown, text, schema)


@cache  # tests read the same files many times
def _checked(shown: str, text: str, schema: str) -> Source:
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        data = loader.construct_document(node) if node else None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SourceError(f"{shown}:{line}: {error.problem}; correct the YAML") from error
    if node is None or not isinstance(data, dict):
        raise SourceError(f"{shown}:1: is empty; it must be a mapping")
    source = Source(shown, data, node)
    _check_schema(source, json.loads(schema))
    return source


def _check_schema(source: Source, schema: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(schema)
    errors = list(validator.iter_errors(source.data))
    if not errors:
        return
    error = jsonschema.exceptions.best_match(errors)
    hint = "compare it with the entries beside it"
    if isinstance(error.schema, dict):
        hint = str(error.schema.get("hint", hint))
    raise source.error(list(error.absolute_path), f"{error.message}; {hint}")
