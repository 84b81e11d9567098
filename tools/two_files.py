"""Write the recorder and its FreeRTOS port as two files to copy into a project.

    python -m tools.two_files FOLDER    # tickertape_freertos.h and tickertape_freertos.c

The files are plain concatenations: each of our headers once, where it is first included; each
source in order. A header that is included under a condition stays there, and may appear again: all
headers have guards. The macros of a source are undefined at its end. Static names of two sources
must differ; the compiler reports conflicts. Includes of the C library and of FreeRTOS stay.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Final

_FIRMWARE: Final = Path(__file__).resolve().parents[1] / "firmware"
_PORT: Final = _FIRMWARE / "ports/freertos"
_FOLDERS: Final = (
    _PORT,
    _FIRMWARE / "include",
    _FIRMWARE / "ports/cortex_m",
    _FIRMWARE / "links",
)
HEADER: Final = "tickertape_freertos.h"
SOURCE: Final = "tickertape_freertos.c"

# Headers for applications, after the part for the kernel. Each includes the headers that it needs.
_PUBLIC: Final = ("tickertape", "emitters", "hooks", "log", "system", "add", "stream", "filter")

_INCLUDE: Final = re.compile(r'^\s*#\s*include\s+"(?P<name>[^"]+)"')
_CONDITION: Final = re.compile(r"^\s*#\s*(?P<word>if|ifdef|ifndef|endif)\b")
_GUARD: Final = re.compile(r"^#ifndef (\w+_H)\n#define \1\n", re.MULTILINE)
_DEFINE: Final = re.compile(r"^\s*#\s*define\s+(?P<name>\w+)", re.MULTILINE)


class _Writer:
    """Concatenates files; each header once."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._included: set[Path] = set()

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def add(self, *lines: str) -> None:
        self._lines += lines

    def include(self, file: Path) -> None:
        """Add one of our headers, unless it was added before."""
        if file.resolve() not in self._included:
            self._included.add(file.resolve())
            self.add_file(file)

    def add_file(self, file: Path) -> None:
        """Add a file with the headers of tickertape that it includes."""
        text = file.read_text(encoding="utf-8")
        depth = -1 if _GUARD.search(text) else 0
        self.add(f"/* {file.relative_to(_FIRMWARE)} */")
        for line in text.splitlines():
            if condition := _CONDITION.match(line):
                depth += -1 if condition["word"] == "endif" else 1
            include = _INCLUDE.match(line)
            found = _find(include["name"], file.parent) if include else None
            if found is None:
                self.add(line)
            elif found not in self._included:
                if depth == 0:
                    self._included.add(found)
                self.add_file(found)

    def add_source(self, file: Path) -> None:
        """Add a source, and undefine its macros at the end."""
        self.add_file(file)
        names = dict.fromkeys(_DEFINE.findall(file.read_text(encoding="utf-8")))
        self.add(*(f"#undef {name}" for name in names))

    def know(self, other: _Writer) -> None:
        """Omit the headers that another file contains."""
        self._included |= other._included


def _find(name: str, beside: Path) -> Path | None:
    """Return our file of this name; None for a file of the kernel or the application."""
    for folder in (beside, *_FOLDERS):
        if (folder / name).is_file():
            return (folder / name).resolve()
    return None


def write(folder: Path) -> None:
    """Write both files to a folder; create it if missing."""
    header = _Writer()
    header.add("/* Generated from tickertape by tools/two_files.py; do not edit. */")
    header.include(_PORT / HEADER)
    # Public headers come before the end of the guards, so that an assembler skips them.
    public = _Writer()
    public.know(header)
    for name in _PUBLIC:
        public.include(_FIRMWARE / f"include/tickertape/{name}.h")
    begin, mark, end = header.text().rpartition("\n#endif\n#endif\n")
    source = _Writer()
    source.know(public)
    source.add("/* Generated from tickertape by tools/two_files.py; do not edit. */")
    source.add("#define MPU_WRAPPERS_INCLUDED_FROM_API_FILE")  # as in freertos_port.h
    source.add('#include "FreeRTOS.h"', '#include "task.h"')
    files = [*(_FIRMWARE / "core").glob("*.c"), *_PORT.glob("*.c"), _FIRMWARE / "links/rtt_link.c"]
    for file in sorted(files):
        source.add_source(file)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / HEADER).write_text(begin + "\n" + public.text() + mark + end, encoding="utf-8")
    (folder / SOURCE).write_text(source.text(), encoding="utf-8")


def main() -> int:
    """Write the files to the folder from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.two_files", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="where the two files go")
    folder: Path = parser.parse_args().folder
    write(folder)
    print(f"{folder / HEADER}\n{folder / SOURCE}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
