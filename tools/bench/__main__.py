"""Measure all parts, print the table and write build/bench.json.

    python -m tools.bench [PART ...]
    python -m tools.bench --page    # write the values of build/bench.json into docs/benchmarks.md

No value makes this fail: people judge the budgets; they are not timed tests.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Final

from tools.bench import (
    answers,
    exports,
    freertos,
    host,
    live,
    masked,
    others,
    page,
    posix,
    quick,
    slow_link,
    target,
    view,
    whole,
    zephyr,
)
from tools.bench.result import Result, as_json, table

ROOT: Final = Path(__file__).resolve().parents[2]
_PARTS: Final = {
    "target": target,
    "whole": whole,
    "others": others,
    "masked": masked,
    "posix": posix,
    "freertos": freertos,
    "zephyr": zephyr,
    "slow_link": slow_link,
    "host": host,
    "quick": quick,
    "live": live,
    "exports": exports,
    "answers": answers,
    "view": view,
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
    parser.add_argument(
        "--page", action="store_true", help="fill in docs/benchmarks.md instead of measuring"
    )
    arguments = parser.parse_args()
    if arguments.page:
        return _fill_in(ROOT / "build/bench.json", ROOT / "docs/benchmarks.md")
    chosen = arguments.parts
    if unknown := set(chosen) - set(_PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; take {', '.join(_PARTS)}")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command `tickertape`
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    results: list[Result] = []
    for name in chosen or _PARTS:
        results += _PARTS[name].measure(build / "bench")
        # Write after each part: a later failure does not discard minutes of measuring.
        (build / "bench.json").write_text(as_json(results), encoding="utf-8")
    print(table(results))
    print(f"\nwritten to {build / 'bench.json'}, with the method of each value")
    return 0


def _fill_in(measured: Path, document: Path) -> int:
    if not measured.exists():
        print(f"{measured} is missing: run `make bench` first", file=sys.stderr)
        return 1
    values = {key: row["value"] for key, row in json.loads(measured.read_text()).items()}
    document.write_text(page.filled_in(document.read_text("utf-8"), values), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
