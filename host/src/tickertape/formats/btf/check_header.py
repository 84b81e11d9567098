"""Checks the meta section: required lines, their number and their place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tickertape.formats.btf.tables import OLD_TYPES, TYPE_DIALECTS, Profile

if TYPE_CHECKING:
    from tickertape.formats.btf.findings import Findings
    from tickertape.formats.btf.lines import Parameter, TableRow

SCALES: Final = {"ps": -12, "ns": -9, "us": -6, "ms": -3, "s": 0}
_ONCE: Final = ("version", "timescale", "creator", "creationdate")
_OLD_TABLES: Final = frozenset({"typetable", "entitytype", "entitytable", "entitytypetable"})
MAPPINGS: Final = frozenset({"typemapping", "entitymapping", "entitytypemapping"})
"""Parameters that map an ID to a name, or a name to a type."""
_VERSION: Final = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})(?:\.([0-9]{1,4}))?.*")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?")
_PAIR: Final = 2


@dataclass(slots=True)
class Header:
    """Contents of the meta section.

    Attributes:
        values: parameters by name in lower case; the last value of each, of `version` the first.
        version: version as numbers; None without a valid one.
        types: type of each entity in a table or mapping, by name.
        names: names of entities by ID.
        type_names: names of types by ID.
    """

    values: dict[str, str] = field(default_factory=dict)
    version: tuple[int, int, int] | None = None
    types: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    type_names: dict[str, str] = field(default_factory=dict)

    @property
    def profile(self) -> Profile:
        """Rules of the version; the newer ones when the version is unknown."""
        return Profile.OLD if self.version is not None and self.version < (2, 2, 0) else Profile.NEW

    @property
    def scale(self) -> int:
        """Unit of times as a power of ten of a second: -9 for ns, which is the default."""
        return SCALES.get(self.values.get("timescale", "ns"), -9)


class HeaderCheck:
    """Reads and checks the lines of the meta section."""

    def __init__(self, findings: Findings) -> None:
        """Create an empty header."""
        self.header = Header()
        self._findings = findings
        self._counts: dict[str, int] = {}
        self._table = ""
        self._first_key = ""
        # Reported at the end of the file, because the severity depends on the profile.
        self._repeated: list[tuple[Parameter, str]] = []
        self._late: list[Parameter] = []

    def take(self, parameter: Parameter, *, events: int) -> None:
        """Store and check a parameter; `events` is the number of events before it."""
        key = parameter.key.lower()
        header, line = self.header, parameter.line
        self._table = key if key in _OLD_TABLES else ""
        self._first_key = self._first_key or key
        self._counts[key] = self._counts.get(key, 0) + 1
        if key in _ONCE:
            self._take_once(key, parameter, events)
        elif key in MAPPINGS:
            self._take_mapping(key, parameter)
        elif key not in _OLD_TABLES and key != "inputfile":
            self._findings.warn(line, "header-keyword", f"#{parameter.key} is not described")
        if self._counts[key] == 1 or key != "version":
            header.values[key] = parameter.value

    def take_row(self, row: TableRow) -> None:
        """Store and check a row of a table."""
        header = self.header
        if self._table in {"typetable", "entitytype"}:
            header.type_names[row.key] = row.value
        elif self._table == "entitytable":
            header.names[row.key] = row.value
        elif self._table == "entitytypetable":
            self._type(row.line, row.key, row.value)
        else:
            self._findings.error(row.line, "header-table", "there is a row here, but no table")

    def finish(self, profile: Profile) -> None:
        """Report missing, repeated and late parameters at the end of the file."""
        for key in _ONCE:
            count = self._counts.get(key, 0)
            is_needed = key in {"version", "timescale"}
            if count == 0 and is_needed and profile is Profile.NEW:
                self._findings.error(0, f"header-{key}", f"#{key} is missing")
            elif count == 0 and profile is Profile.OLD:
                self._findings.warn(0, f"header-{key}", f"#{key} is missing")
        if self._first_key not in {"version", ""} and profile is Profile.NEW:
            self._findings.error(1, "header-version", "#version has to be the first line")
        for parameter, taken in self._repeated:
            self._finish_repeated(parameter, taken, profile)
        for parameter in self._late:
            if parameter.key.lower() != "creationdate" or profile is Profile.NEW:
                text = f"#{parameter.key} follows events"
                self._findings.error(parameter.line, f"header-{parameter.key.lower()}", text)

    def _finish_repeated(self, parameter: Parameter, taken: str, profile: Profile) -> None:
        """Report a repetition; versions up to 2.1 do not forbid one with an equal value."""
        is_same = parameter.value == taken
        report = self._findings.warn if is_same and profile is Profile.OLD else self._findings.error
        key = parameter.key.lower()
        text = f"#{parameter.key} is repeated here"
        if not is_same:
            text += f" with another value, {parameter.value[:40]!r}"
            text += f"; {taken[:40]!r} holds" if key == "version" else ""
        report(parameter.line, f"header-{key}", text)

    def _take_once(self, key: str, parameter: Parameter, events: int) -> None:
        findings, line, value = self._findings, parameter.line, parameter.value
        if self._counts[key] > 1:
            self._repeated.append((parameter, self.header.values[key]))
        if events:
            self._late.append(parameter)
        if key == "version" and self._counts[key] == 1:
            found = _VERSION.fullmatch(value)
            if found is None:
                findings.error(line, "header-version", f"{value[:40]!r} is not a version")
            else:
                self.header.version = (int(found[1]), int(found[2]), int(found[3] or 0))
        elif key == "timescale" and value not in SCALES:
            findings.error(
                line, "header-timescale", f"{value[:40]!r} is none of {', '.join(SCALES)}"
            )
        elif key == "creationdate" and not _DATE.fullmatch(value):
            findings.warn(line, "header-creationdate", f"{value[:40]!r} is not a date as ISO 8601")

    def _take_mapping(self, key: str, parameter: Parameter) -> None:
        words = parameter.value.split(maxsplit=1)
        if len(words) != _PAIR:
            self._findings.error(parameter.line, "header-mapping", "a mapping has two words")
        elif key == "entitytypemapping":
            self._type(parameter.line, *words)
        else:
            known = self.header.names if key == "entitymapping" else self.header.type_names
            if words[0] in known:
                self._findings.error(
                    parameter.line, "header-mapping", f"{words[0][:40]} has a meaning already"
                )
            known[words[0]] = words[1]

    def _type(self, line: int, type_: str, name: str) -> None:
        type_ = self.header.type_names.get(type_, type_)
        type_ = TYPE_DIALECTS.get(type_, type_)
        if type_ not in OLD_TYPES:
            self._findings.error(line, "header-type", f"there is no type {type_[:40]!r}")
            return
        self.header.types[self.header.names.get(name, name)] = type_
