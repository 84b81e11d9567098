"""Command line: `python -m tools.gen [--check | --release] [--root DIR]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tools.gen import outputs, released
from tools.gen.source import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterable

DONE, STALE, BAD_SOURCE = 0, 1, 2


def main(arguments: list[str] | None = None) -> int:
    """Write or check all generated files.

    Returns:
        0; 1 if a file is stale or the version is released already; 2 if a source is bad or
        breaks the promise of a release.
    """
    parser = argparse.ArgumentParser(prog="python -m tools.gen", description=__doc__)
    task = parser.add_mutually_exclusive_group()
    task.add_argument("--check", action="store_true", help="write nothing, fail on stale files")
    task.add_argument("--release", action="store_true", help="freeze the current version as well")
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: .)")
    options = parser.parse_args(arguments)
    root: Path = options.root
    try:
        events, wire, interface = outputs.read(root)
        files = outputs.render(events, wire, interface)
    except SourceError as error:
        return _fail([str(error)], BAD_SOURCE)
    broken = released.check(root, events, wire)
    if broken:
        return _fail(broken, BAD_SOURCE)
    stale = [path for path, text in files.items() if _read(root / path) != text]
    if options.check:
        advice = "is not what `make gen` makes; run it and commit"
        return _fail([f"{path}: {advice}" for path in stale], STALE) if stale else DONE
    for path in stale:
        _write(root / path, files[path])
        print(f"wrote {path}")
    if options.release:
        try:
            print(f"wrote {released.release(root, events, wire)}")
        except FileExistsError as error:
            message = "is released already; raise the minor version in wire.yaml"
            return _fail([f"{error.filename}: {message}"], STALE)
    return DONE


def _fail(lines: Iterable[str], code: int) -> int:
    for line in lines:
        print(line, file=sys.stderr)
    return code


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
