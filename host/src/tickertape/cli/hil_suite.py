"""The file of a suite: boards, their images, and the specifications for their tapes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tickertape.answers import yaml_file
from tickertape.answers.spec import load
from tickertape.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.answers.spec import Requirement

_NUMBER: Final = (int, float)
_KEYS: Final[Mapping[str, tuple[type, ...]]] = {
    "lab": (str,),
    "boards": (list,),
    "images": (list, dict),
    "specs": (list,),
    "duration_s": _NUMBER,
    "until_final": (bool,),
    "retries": (int,),
    "wait_s": _NUMBER,
    "folder": (str,),
    "history": (str,),
}


@dataclass(frozen=True)
class Suite:
    """Boards, images and settings of a suite.

    Attributes:
        lab: path of the labgrid configuration.
        boards: names of targets in the configuration.
        images: per board, names in its `images:` or paths; None for the image already on it.
        specs: requirements by the name of their file without its ending.
        duration_s: how long each image is recorded, in seconds.
        until_final: end earlier, when the target announces its end, which it has to do in time.
        retries: number of repeats of a recording that cannot be judged.
        wait_s: how long to wait for a place that another client holds, in seconds.
        folder: folder that gets a folder for each run of the suite.
        history: dataset of figures of earlier runs; None to keep no history.
    """

    lab: Path
    boards: list[str]
    images: dict[str, list[str | None]]
    specs: dict[str, list[Requirement]]
    duration_s: float
    until_final: bool
    retries: int
    wait_s: float
    folder: Path
    history: Path | None


def load_suite(path: Path) -> Suite:
    """Read a suite; paths in it are relative to its folder.

    Raises:
        UsageError: the file cannot be read, or one of its keys is wrong.
        SpecError: a specification cannot be used.
    """
    read = _read(path)
    at = path.parent
    specs = [at / name for name in _names(path, read, "specs")]
    boards = _names(path, read, "boards")
    for board in boards:
        if board in {".", ".."} or "/" in board or "\0" in board:
            raise UsageError(
                f"{path}: board {board!r} cannot name a folder", "give the target another name"
            )
    history = read.get("history")
    suite = Suite(
        lab=(at / read["lab"]).resolve(),
        boards=boards,
        images={board: _images(path, read, board) for board in boards},
        specs={one.stem: list(load(one)) for one in specs},
        duration_s=float(read.get("duration_s", 10)),
        until_final=read.get("until_final", False),
        retries=read.get("retries", 0),
        wait_s=float(read.get("wait_s", 60)),
        folder=(at / read.get("folder", "runs")).resolve(),
        history=None if history is None else (at / history).resolve(),
    )
    for name, values in (
        ("boards", boards),
        ("specs", [one.stem for one in specs]),
        *(("images", [Path(one).stem for one in some if one]) for some in suite.images.values()),
    ):
        if len(set(values)) < len(values):
            raise UsageError(f"{path}: two of `{name}` have one name", "rename one of them")
    if suite.duration_s <= 0 or suite.retries < 0 or suite.wait_s < 0:
        raise UsageError(f"{path} has a number below 0", "see docs/lab.md for the keys")
    return suite


def _read(path: Path) -> dict[str, Any]:
    read = yaml_file.read(path)
    for key, value in read.items():
        if key not in _KEYS:
            raise UsageError(f"{path} has an unknown key {key!r}", nearest(str(key), _KEYS))
        if not isinstance(value, _KEYS[key]) or (
            isinstance(value, bool) and bool not in _KEYS[key]
        ):
            kinds = " or ".join(one.__name__ for one in _KEYS[key])
            raise UsageError(f"{path}: `{key}` has to be {kinds}", "see docs/lab.md for the keys")
    for key in ("lab", "boards"):
        if not read.get(key):
            raise UsageError(f"{path} has no `{key}`", "see docs/lab.md for the keys")
    return read


def _images(path: Path, read: Mapping[str, Any], board: str) -> list[str | None]:
    """Return the images of a board: those of its own entry, or the list for all boards."""
    found = read.get("images", [])
    if isinstance(found, dict):
        unknown = next((one for one in found if one not in read["boards"]), None)
        if unknown is not None:
            raise UsageError(
                f"{path}: `images` names {unknown!r}, which is none of `boards`",
                nearest(str(unknown), read["boards"]),
            )
        found = found.get(board) or []
    return [*_names(path, {"images": found}, "images")] or [None]


def _names(path: Path, read: Mapping[str, Any], key: str) -> list[str]:
    found: object = read.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
        raise UsageError(f"{path}: `{key}` is not a list of names", "see docs/lab.md for the keys")
    return found
