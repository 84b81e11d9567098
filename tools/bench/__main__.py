"""Measures everything, prints the table and writes build/bench.json.

    python -m tools.bench [PART ...]

Nothing here fails because of a number: budgets are for people to look at, not for timed tests.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Final

from tools.bench import exports, host, live, masked, posix, quick, slow_link, target
from tools.bench.result import Result, as_json, table

ROOT: Final = Path(__file__).resolve().parents[2]
_PARTS: Final = {
    "target": target,
    "masked": masked,
    "posix": posix,
    "slow_link": slow_link,
    "host": host,
    "quick": quick,
    "live": live,
    "exports": exports,
}


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="PART",
        help=f"what to measure (all): {', '.join(_PARTS)}",
    )
    chosen = parser.parse_args().parts
    if unknown := set(chosen) - set(_PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; take {', '.join(_PARTS)}")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    results: list[Result] = []
    for name in chosen or _PARTS:
        results += _PARTS[name].measure(build / "bench")
        # Minutes of measuring are not lost when a later part fails.
        (build / "bench.json").write_text(as_json(results), encoding="utf-8")
    print(table(results))
    print(f"\nwritten to {build / 'bench.json'}; how each value was measured stands there")
    return 0


if __name__ == "__main__":
    sys.exit(main())
