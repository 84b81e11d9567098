"""The state of a search, in a file, so that the search can be interrupted and resumed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Count:
    """Histories of one kind that were run with one version of the sources.

    Attributes:
        first_seed: first of the consecutive seeds.
        end_seed: one after the last seed.
        records: number of delivered records.
        seconds: processor time of the search.
    """

    first_seed: int = 0
    end_seed: int = 0
    records: int = 0
    seconds: float = 0.0

    @property
    def histories(self) -> int:
        """Number of histories."""
        return self.end_seed - self.first_seed


@dataclass
class Finding:
    """A history with a fault."""

    sources: str
    kind: str
    seed: int
    steps: int
    what: str


@dataclass
class State:
    """Counts by version of the sources and kind, and all findings."""

    counts: dict[str, dict[str, Count]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def count(self, sources: str, kind: str) -> Count:
        """Return the count to continue with; new sources use later seeds than earlier ones."""
        kinds = self.counts.setdefault(sources, {})
        if kind not in kinds:
            begin = max(
                (one[kind].end_seed for one in self.counts.values() if kind in one), default=0
            )
            kinds[kind] = Count(begin, begin)
        return kinds[kind]

    def histories(self, sources: str | None = None) -> int:
        """Return the number of histories with these sources, or with all."""
        chosen = self.counts if sources is None else {sources: self.counts.get(sources, {})}
        return sum(count.histories for kinds in chosen.values() for count in kinds.values())

    def save(self, path: Path) -> None:
        """Replace the file atomically: a killed search leaves the old or the new one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(asdict(self), indent=1) + "\n")
        part.replace(path)

    def table(self) -> str:
        """Return a table with a line per version of the sources and kind."""
        lines = [
            f"{'sources':<17} {'kind':<10} {'histories':>10} {'records':>12} {'ms each':>8}  seeds"
        ]
        for sources, kinds in self.counts.items():
            for kind, count in kinds.items():
                each_ms = 1000 * count.seconds / max(count.histories, 1)
                lines.append(
                    f"{sources:<17} {kind:<10} {count.histories:>10,} {count.records:>12,}"
                    f" {each_ms:>8.2f}  {count.first_seed}-{count.end_seed - 1}"
                )
        return "\n".join([*lines, f"{'all':<17} {'':<10} {self.histories():>10,}"])


def load(path: Path) -> State:
    """Read the file; return an empty state if there is none."""
    if not path.exists():
        return State()
    values = json.loads(path.read_text())
    return State(
        {
            sources: {kind: Count(**count) for kind, count in kinds.items()}
            for sources, kinds in values["counts"].items()
        },
        [Finding(**finding) for finding in values["findings"]],
    )
