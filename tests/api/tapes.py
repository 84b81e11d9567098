"""Make tapes of every kind that a program may open, by name."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.support.target import OVERWRITE, SimulatedTarget, target_with_events
from tickertape.collector import CaptureOptions, capture
from tickertape.formats.btf.read import import_btf
from tickertape.link import MemoryLink

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DATA: Final = Path(__file__).parents[1] / "data"


def _captured(path: Path, data: bytes) -> Path:
    capture(MemoryLink([data]), path, CaptureOptions(handle_signals=False))
    return path


def _rings(path: Path) -> Path:
    """Make a tape with two boots, CPUs and streams, combine events, and a renamed thread."""
    target = SimulatedTarget(cpus=2, streams=2, buffers=8, policy=OVERWRITE)
    for boot in range(2):
        target.hello()
        target.name(1, 1, "producer")
        target.name(1, 2, "consumer")
        for turn in range(30):
            stream, cpu = turn % 2, turn // 2 % 2
            target.record((stream, cpu), 9, 0, 1 + turn % 3, 1)
            target.advance(7)
            target.record((stream, cpu), 6, 1 + turn % 4, turn, boot)
            target.advance(5)
            target.combine((stream, cpu), 6, 9, bytes([turn] * (turn % 13)))
            if turn == 15:
                renamed = b"\0\0\0\0\1\0\0\0renamed"
                target.combine((stream, cpu), 4, 320, renamed)
            target.advance(3)
        target.finish()
        if not boot:
            target.reset(boot_id=9, now=5)
    return _captured(path, target.sent_bytes())


def _lossy(path: Path) -> Path:
    target = target_with_events()
    target.finish()
    return _captured(
        path, b"".join(sent.data for sent in target.frames if sent.number not in {5, 6, 9})
    )


def _cut(path: Path) -> Path:
    """Make a tape without its end, as during writing."""
    target = target_with_events()
    target.finish()
    _captured(path, target.sent_bytes())
    path.write_bytes(path.read_bytes()[:-40])
    return path


def _imported(path: Path) -> Path:
    import_btf(DATA / "btf/system.btf", path)
    return path


_MAKERS: Final[Mapping[str, Callable[[Path], Path]]] = {
    "rings": _rings,
    "lossy": _lossy,
    "cut": _cut,
    "imported": _imported,
    "empty": lambda path: _captured(path, b""),
    "zephyr": lambda _: DATA / "zephyr/philosophers.tape",
    "two boards": lambda _: DATA / "damaged/two_boards.tape",
    "damaged": lambda _: DATA / "damaged/three_bodies.tape",
    "no records": lambda _: DATA / "damaged/no_records.tape",
}
KINDS: Final = tuple(_MAKERS)


class Tapes:
    """Makes each tape once; tests must not change it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[str, Path] = {}

    def __call__(self, kind: str) -> Path:
        """Return the path of a tape of one of `KINDS`."""
        if kind not in self._made:
            self._made[kind] = _MAKERS[kind](self._folder / f"{kind}.tape")
        return self._made[kind]

    def copy(self, kind: str, folder: Path) -> Path:
        """Return the path of a copy in `folder`."""
        return Path(shutil.copy(self(kind), folder / "copy.tape"))
