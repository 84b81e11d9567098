"""The promises of released versions, and the check that later minor versions keep them.

`protocol/released/<major>.<minor>.json` contains the essentials of one release: all numbers, names
and types, without prose. A minor version may add; it never changes or removes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tools.gen.dictionary import Dictionary
    from tools.gen.layout import Layout

FOLDER = "protocol/released"

# Parts of the essentials that follow the tape's version; the others follow the protocol's.
_TAPE_PARTS = ("tape_enums", "tape_structs")


def essentials(dictionary: Dictionary, layout: Layout) -> dict[str, Any]:
    """Return the entries on which receivers and readers rely, by part and name."""
    result: dict[str, Any] = {
        "protocol": list(layout.protocol),
        "tape": list(layout.tape),
        "header": {
            bits.name: [bits.first, bits.width, dict(bits.values)] for bits in layout.header
        },
        "enums": {},
        "structs": {},
        "tape_enums": {},
        "tape_structs": {},
        "events": {},
        "wide": {},
    }
    for enum in layout.enums:
        part = result["tape_enums" if enum.host_only else "enums"]
        for value in enum.values:
            part[f"{enum.name} {value.value}"] = value.name
    for struct in layout.structs:
        part = result["tape_structs" if struct.host_only else "structs"]
        part[struct.name] = [[field.name, field.type] for field in struct.fields]
    for event_class in dictionary.classes:
        for event in event_class.events:
            key = f"{event_class.number} {event.number}"
            result["events"][key] = f"{event_class.name} {event.meaning}"
            # One entry per word: a later minor version may append words.
            result["wide"] |= {f"{key} {n}": str(word) for n, word in enumerate(event.wide)}
    return result


def render(parts: dict[str, Any]) -> str:
    """Return JSON with one entry per line, so that differences are easy to read."""
    lines = ["{"]
    for number, (part, entries) in enumerate(parts.items()):
        end = "," if number < len(parts) - 1 else ""
        if not isinstance(entries, dict):
            lines.append(f"  {json.dumps(part)}: {json.dumps(entries)}{end}")
            continue
        rows = [f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items()]
        lines += [f"  {json.dumps(part)}: {{", ",\n".join(rows), f"  }}{end}"]
    return "\n".join([*lines, "}"]) + "\n"


def differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield the broken promises of a release; none for a part with another major version."""
    version = ".".join(map(str, before["protocol"]))
    for part, entries in before.items():
        if not isinstance(entries, dict):
            continue
        ruler = "tape" if part in _TAPE_PARTS else "protocol"
        if before[ruler][0] != now[ruler][0]:
            continue
        for key, value in entries.items():
            held = now[part].get(key)
            if held != value:
                yield (
                    f"{part} {key} was {json.dumps(value)} in version {version} and is "
                    f"{json.dumps(held)} now; restore it, or raise the {ruler}'s major version"
                )


def additions(before: dict[str, Any], dictionary: Dictionary) -> Iterator[str]:
    """Yield a complaint per event that a release lacks, but whose `since` is not later."""
    minor = before["protocol"][1]
    for event_class in dictionary.classes:
        for event in event_class.events:
            key = f"{event_class.number} {event.number}"
            if key not in before["events"] and event.since <= minor:
                yield (
                    f"{event_class.name} {event.name} is not part of it but has since: "
                    f"{event.since}; write since: {minor + 1} or later"
                )


def check(root: Path, dictionary: Dictionary, layout: Layout) -> list[str]:
    """Compare with every release below `root`; return one line per broken promise."""
    now = essentials(dictionary, layout)
    lines = []
    for path in sorted((root / FOLDER).glob("*.json")):
        before = json.loads(path.read_text(encoding="utf-8"))
        found = list(differences(before, now))
        if before["protocol"][0] == now["protocol"][0]:
            found += additions(before, dictionary)
        lines += [f"{FOLDER}/{path.name}: {text}" for text in found]
    return lines


def release(root: Path, dictionary: Dictionary, layout: Layout) -> str:
    """Write the essentials of the current version; return the path.

    Raises:
        FileExistsError: this version is released already.
    """
    now = essentials(dictionary, layout)
    major, minor = now["protocol"]
    path = root / FOLDER / f"{major}.{minor}.json"
    with path.open("x", encoding="utf-8") as file:
        file.write(render(now))
    return f"{FOLDER}/{path.name}"
