"""Checks of Renode platform files and scripts, for the parts of the languages that ours use."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
RENODE = ROOT / "renode"

_ENTRY = re.compile(r"(\w+):(?: ([\w.]+) @ (.+))?$")
_PROPERTY = re.compile(r"(\w+): (.+)$")
_WIRE = re.compile(r"(?:(\w+) )?-> (\w+)@(\d+)$")
_USING = re.compile(r'using "(.+)"$')


@dataclass
class Names:
    """Names that Renode has, from renode/models.txt.

    Attributes:
        models: properties of each model.
        outputs: interrupt outputs of each model.
        platforms: entries of each platform file, with their models.
        commands: monitor commands.
    """

    models: dict[str, set[str]] = field(default_factory=dict)
    outputs: dict[str, set[str]] = field(default_factory=dict)
    platforms: dict[str, dict[str, str]] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)


def read_names() -> Names:
    """Read renode/models.txt."""
    names = Names()
    for line in (RENODE / "models.txt").read_text(encoding="utf-8").splitlines():
        kind, _, rest = line.partition(" ")
        name, _, words = rest.partition(":")
        if kind == "model":
            names.models[name] = set(words.split())
        elif kind == "output":
            names.outputs[name] = set(words.split())
        elif kind == "platform":
            names.platforms[name] = dict(word.split("=", 1) for word in words.split())
        elif kind == "command":
            names.commands.append(rest)
        else:
            assert not line or line.startswith("#"), line
    return names


def platform_problems(text: str, names: Names) -> list[str]:
    """Return the uses of unknown names in a platform file, with line numbers."""
    return _Platform(names).problems(text)


class _Platform:
    """Reader of a platform file."""

    def __init__(self, names: Names) -> None:
        """Start without entries."""
        self._names = names
        self._entries: dict[str, str] = {}
        self._wires: list[tuple[int, str]] = []
        self._model = ""

    def problems(self, text: str) -> list[str]:
        """Read all lines; return the problems."""
        found = []
        for number, line in enumerate(text.splitlines(), 1):
            code = line.split("//")[0].rstrip()
            if code:
                read = self._detail if code.startswith(" ") else self._entry
                found += [f"{number}: {problem}" for problem in read(number, code.strip())]
        return found + [
            f"{number}: wire to {name}, which is not there"
            for number, name in self._wires
            if name not in self._entries
        ]

    def _entry(self, _number: int, code: str) -> list[str]:
        if using := _USING.match(code):
            self._entries |= self._names.platforms.get(using[1], {})
            return [] if using[1] in self._names.platforms else [f"no platform {using[1]}"]
        entry = _ENTRY.match(code)
        if entry is None:
            return [f"cannot be read: {code}"]
        name, self._model = entry[1], entry[2] or self._entries.get(entry[1], "")
        found = [f"{name} is declared twice"] if entry[2] and name in self._entries else []
        if self._model not in self._names.models:
            found.append(f"no model {self._model or 'of ' + name}")
        self._entries[name] = self._model
        return found

    def _detail(self, number: int, code: str) -> list[str]:
        if wire := _WIRE.match(code):
            self._wires.append((number, wire[2]))
            outputs = self._names.outputs.get(self._model, set())
            if (wire[1] or "IRQ") not in outputs:
                return [f"{self._model} has no output {wire[1] or 'IRQ'}"]
        elif prop := _PROPERTY.match(code):
            if prop[1] not in self._names.models.get(self._model, set()):
                return [f"{self._model} has no property {prop[1]}"]
        else:
            return [f"cannot be read: {code}"]
        return []


def command_problem(command: str, names: Names) -> str | None:
    """Return the problem of a monitor command; None if Renode has the command."""
    known = any(command == name or command.startswith(f"{name} ") for name in names.commands)
    return None if known else f"no command {command}"


def script_problems(text: str, folder: Path, names: Names) -> list[str]:
    """Return unknown commands, variables without a value and missing files of a script."""
    problems = []
    variables = {"$ORIGIN"}
    for number, line in enumerate(text.splitlines(), 1):
        code = line.strip()
        if not code or code.startswith("#") or code == '"""':
            continue
        if found := re.match(r"(\$\w+)\??=(.*)$", code):
            variables.add(found[1])
        elif found := re.match(r"macro (\w+)$", code):
            variables.add(f"${found[1]}")
        elif problem := command_problem(code, names):
            problems.append(f"{number}: {problem}")
        used = set(re.findall(r"\$\w+", code)) - {"$image"}  # set by the user
        problems += [f"{number}: {name} has no value" for name in sorted(used - variables)]
        for path in re.findall(r"\$ORIGIN/(\S+)", code):
            if not (folder / path).is_file():
                problems.append(f"{number}: no file {path}")
    return problems
