"""Measures everything, prints the table and writes build/bench.json.

Nothing here fails because of a number: budgets are for people to look at, not for timed tests.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tools.bench import exports, host, live, posix, quick, target
from tools.bench.result import Result, as_json, table

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Measure, print and write."""
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    results: list[Result] = []
    for part in (target, posix, host, quick, live, exports):
        results += part.measure(build / "bench")
        # Minutes of measuring are not lost when a later part fails.
        (build / "bench.json").write_text(as_json(results), encoding="utf-8")
    print(table(results))
    print(f"\nwritten to {build / 'bench.json'}; how each value was measured stands there")
    return 0


if __name__ == "__main__":
    sys.exit(main())
