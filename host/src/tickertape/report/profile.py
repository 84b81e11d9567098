"""A profile by function and line: as a table, as folded stacks, and for speedscope.

Format: speedscope's file-format-schema.json, a profile of type "sampled". A sample of the program
counter has no callers, so each stack is one function and line.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.report.numbers import count, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.analysis.profile import Profile
    from tickertape.symbols.lines import SourceLine

SCHEMA: Final = "https://www.speedscope.app/file-format-schema.json"
_ASLEEP: Final = "(asleep)"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A function and a line of it.

    Attributes:
        function: its name; the address in hexadecimal if the firmware has no function there.
        file: source file; empty if unknown.
        line: line of the file; 0 if unknown.
    """

    function: str
    file: str = ""
    line: int = 0

    @property
    def source(self) -> str:
        """File and line; empty if unknown."""
        return f"{self.file}:{self.line}" if self.file else ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A profile by place.

    Attributes:
        places: samples by place, the most frequent first.
        profile: the profile by address.
    """

    places: dict[Place, int]
    profile: Profile


def placed(
    profile: Profile,
    function_of: Callable[[int], str | None],
    line_of: Callable[[int], SourceLine | None],
) -> Placed:
    """Add up a profile by function and line instead of addresses."""
    found: Counter[Place] = Counter()
    for address, samples in profile.counts.items():
        line = line_of(address)
        name = function_of(address) or f"{address:#x}"
        found[Place(name, *(line or ("", 0)))] += samples
    order = sorted(found, key=lambda place: (-found[place], place))
    return Placed({place: found[place] for place in order}, profile)


def by_function(found: Placed) -> dict[str, int]:
    """Return the samples of each function, the most frequent first."""
    functions: Counter[str] = Counter()
    for place, samples in found.places.items():
        functions[place.function] += samples
    return dict(sorted(functions.items(), key=lambda item: (-item[1], item[0])))


def remarks(profile: Profile) -> list[str]:
    """Return lines with the numbers of samples and of missing records."""
    total = profile.awake + profile.asleep
    share = 100 * profile.asleep / total if total else 0.0
    lines = [f"{counted(total, 'sample')}, {count(profile.asleep)} asleep ({share:.1f} %)"]
    if profile.gaps:
        known = f"{counted(profile.missing, 'record')} missing"
        unknown = f", an unknown number at {count(profile.unknown_gaps)}"
        places = f"{known} at {counted(profile.gaps, 'place')}"
        lines.append(
            f"{places}{unknown if profile.unknown_gaps else ''}; samples may be among them"
        )
    return lines


def to_json(found: Placed) -> dict[str, object]:
    """Return a profile as JSON values; docs/profile.md lists the keys."""
    profile = found.profile
    return {
        "awake": profile.awake,
        "asleep": profile.asleep,
        "gaps": profile.gaps,
        "unknown_gaps": profile.unknown_gaps,
        "missing": profile.missing,
        "functions": by_function(found),
        "lines": [
            {
                "function": place.function,
                "file": place.file or None,
                "line": place.line or None,
                "samples": samples,
            }
            for place, samples in found.places.items()
        ],
    }


def folded(found: Placed) -> str:
    """Return folded stacks: function, source line and number of samples, one line per place."""
    lines = [
        f"{';'.join(filter(None, (_frame(place.function), _frame(place.source))))} {samples}\n"
        for place, samples in found.places.items()
    ]
    if found.profile.asleep:
        lines.append(f"{_ASLEEP} {found.profile.asleep}\n")
    return "".join(lines)


def _frame(name: str) -> str:
    """Return a name without the separators of the format."""
    return name.replace(";", ":").replace("\n", " ")


def speedscope(found: Placed, name: str) -> str:
    """Return a file for speedscope."""
    frames: list[dict[str, str | int]] = []
    for place in found.places:
        frame: dict[str, str | int] = {"name": place.function}
        if place.file:
            frame.update(file=place.file, line=place.line)
        frames.append(frame)
    weights = [*found.places.values()]
    if found.profile.asleep:
        frames.append({"name": _ASLEEP})
        weights.append(found.profile.asleep)
    profile = {
        "type": "sampled",
        "name": name,
        "unit": "none",
        "startValue": 0,
        "endValue": sum(weights),
        "samples": [[index] for index in range(len(frames))],
        "weights": weights,
    }
    return json.dumps(
        {
            "$schema": SCHEMA,
            "exporter": "tickertape",
            "name": name,
            "shared": {"frames": frames},
            "profiles": [profile],
        },
        indent=1,
    )
