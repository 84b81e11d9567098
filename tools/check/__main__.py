"""Run every static gate: `python -m tools.check [--only GATE] [--format]`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tools.check.gates import GATES, Gate, format_in_place

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run the requested gates; return 1 if one of them fails."""
    parser = argparse.ArgumentParser(prog="python -m tools.check", description=__doc__)
    parser.add_argument(
        "--only", action="append", choices=[gate.name for gate in GATES], help="run this gate"
    )
    parser.add_argument("--format", action="store_true", help="format in place instead")
    arguments = parser.parse_args()
    if arguments.format:
        problems = format_in_place(ROOT)
        print("\n".join(problems), end="")
        return 1 if problems else 0
    chosen = [gate for gate in GATES if not arguments.only or gate.name in arguments.only]
    failed = [gate.name for gate in chosen if _fails(gate)]
    print(f"FAILED: {', '.join(failed)}" if failed else "all gates passed")
    return 1 if failed else 0


def _fails(gate: Gate) -> bool:
    started = time.monotonic()
    problems = gate.run(ROOT)
    print(f"{'FAIL' if problems else 'ok':<5} {gate.name:<15} {time.monotonic() - started:5.1f} s")
    for problem in problems:
        print(f"      {problem}")
    sys.stdout.flush()
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
