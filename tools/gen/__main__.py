"""Command line: `python -m tools.gen [--check] [--root DIR]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.gen import outputs
from tools.gen.source import SourceError


def main(arguments: list[str] | None = None) -> int:
    """Write or check all generated files. Returns 0, 1 for stale files, 2 for a bad source."""
    parser = argparse.ArgumentParser(prog="python -m tools.gen", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail on stale files")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: .)")
    options = parser.parse_args(arguments)
    try:
        events, wire = outputs.read(options.root)
    except SourceError as error:
        print(error, file=sys.stderr)
        return 2
    files = outputs.render(events, wire)
    stale = [path for path, text in files.items() if _read(options.root / path) != text]
    if options.check:
        for path in stale:
            print(f"{path}: is not what `make gen` makes; run it and commit", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        target = options.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(files[path], encoding="utf-8")
        print(f"wrote {path}")
    return 0


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None


if __name__ == "__main__":
    sys.exit(main())
