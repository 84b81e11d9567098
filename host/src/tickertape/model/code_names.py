"""Sources for names of code and data: `--elf`, the tape, the file that was run, or a Zephyr build.

Names of a wrong build are worse than none: each boot uses the names of its own build, or none.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.errors import FirmwareError
from tickertape.text import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tickertape.decode.bodies import Hello
    from tickertape.symbols.elf import Symbols
    from tickertape.tape.growing import Growing
    from tickertape.tape.reader import TapeReader


class CodeNames:
    """The names of code and data in each boot."""

    def __init__(
        self, tape: TapeReader | Growing, given: Symbols | None = None, *, force: bool = False
    ) -> None:
        """Check `given` against the tape; look up everything else on demand.

        Args:
            tape: the tape to find names for.
            given: symbols of the ELF file that the user named; None if the user named none.
            force: use `given` for every boot, even if the build ID differs.

        Raises:
            FirmwareError: the build ID of `given` matches no boot of the tape.
        """
        self._tape = tape
        self._given = given
        self._force = force
        self._known: dict[bytes, Symbols | None] = {}
        if given is not None and not force:
            builds = {_bytes_of(hello) for hello in tape.hellos.values()}
            if given.build_id not in builds or not given.build_id:
                given.require_build(_bytes_of(tape.hello), force=False)

    def of(self, epoch: int) -> Symbols | None:
        """Return the names of the build that ran in a boot; None if unknown."""
        build = _bytes_of(self._tape.hellos.get(epoch) or self._tape.hello)
        if self._given is not None and (self._force or self._given.build_id == build):
            return self._given
        if not build:
            return None
        if build not in self._known:
            self._known[build] = self._in_file(build) or self._on_tape(build)
        return self._known[build]

    def _on_tape(self, build: bytes) -> Symbols | None:
        for table in self._tape.symbol_tables:
            if table.build_id == build:
                # Importing the ELF reader takes a tenth of the start-up time of `view`.
                from tickertape.symbols.elf import Symbols  # noqa: PLC0415 - see above
                from tickertape.symbols.symbol import Symbol  # noqa: PLC0415 - see above

                rows = ((at, size, escaped(name)) for at, size, name in table.rows)
                return Symbols((Symbol(*row) for row in rows), build)
        return None

    def _in_file(self, build: bytes) -> Symbols | None:
        for path in _files(self._tape.meta):
            from tickertape.symbols.elf import read_symbols  # noqa: PLC0415 - see `_on_tape`

            with suppress(FirmwareError):
                symbols = read_symbols(path)
                if symbols.build_id == build:
                    return symbols
        return None


def _files(meta: Mapping[str, object]) -> Iterator[Path]:
    """Yield the ELF files that were run, one per board, if they exist on this machine.

    Then yield the ELF files of the Zephyr builds found from the current directory.
    """
    merged = meta.get("merge")
    boards = merged.get("boards") if isinstance(merged, dict) else None
    of_boards = [
        one["meta"]
        for one in (boards if isinstance(boards, list) else [])
        if isinstance(one, dict) and isinstance(one.get("meta"), dict)
    ]
    for facts in (meta, *of_boards):
        path = facts.get("elf")
        if isinstance(path, str) and _is_readable(Path(path)):
            yield Path(path)
    from tickertape.symbols.zephyr_build import find_builds  # noqa: PLC0415 - see `_on_tape`

    for build in find_builds(Path.cwd()):
        yield build.elf


def _is_readable(path: Path) -> bool:
    """Return whether a stored path is a file that may be read; the path is only a hint."""
    try:
        return path.is_file() and os.access(path, os.R_OK)
    except (OSError, ValueError):
        return False


def _bytes_of(hello: Hello | None) -> bytes:
    return bytes.fromhex(hello.build_id) if hello else b""
