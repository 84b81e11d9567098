"""Build and run a program that has variables of many types and prints their addresses."""

from __future__ import annotations

import subprocess
from pathlib import Path

_SOURCE = Path(__file__).parents[1] / "symbols" / "data_program.c"


def built(folder: Path, compiler: str, options: str) -> tuple[Path, dict[str, tuple[int, int]]]:
    """Build and run the program; return its path, and (address, size) by name, as it prints."""
    program = folder / "program"
    language = ["-x", "c++"] if compiler == "g++" else []
    words = [compiler, *options.split(), "-no-pie", *language, str(_SOURCE), "-o", str(program)]
    subprocess.run(words, check=True)
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    lines = (line.split(maxsplit=2) for line in said.splitlines())
    return program, {name: (int(place, 16), int(size)) for place, size, name in lines}
