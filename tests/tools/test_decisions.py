"""Each decision in docs/adr has a number, which its title repeats."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs/adr"


def test_each_decision_has_a_number_of_its_own() -> None:
    paths = sorted(FOLDER.glob("[0-9]*.md"))
    assert len(paths) > 40
    numbers = Counter(path.name[:4] for path in paths)
    assert [number for number, count in numbers.items() if count > 1] == []
    titles = {path.name: path.read_text(encoding="utf-8").splitlines()[0] for path in paths}
    assert [name for name, title in titles.items() if name[:4].lstrip("0") not in title] == []
