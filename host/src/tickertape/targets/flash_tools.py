"""Make the command lines of the tools that flash a chip. No program is started here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tickertape.targets.probes import usb_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tickertape.targets.boards import Board, Segment


@dataclass(frozen=True, slots=True)
class Job:
    """A request to flash an image.

    Attributes:
        board: the board to flash.
        image: path of the ELF file.
        segments: segments of the ELF file to write.
        probe: id of the debug probe; None: the only connected probe.
        erase: erase the whole chip first.
        verify: compare the memory with the image afterwards.
        reset: start the new firmware at the end.
        folder: an empty folder for files of the tools.
    """

    board: Board
    image: Path
    segments: Sequence[Segment]
    probe: str | None
    erase: bool
    verify: bool
    reset: bool
    folder: Path

    def binaries(self) -> list[tuple[int, Path]]:
        """Write each segment to its own file; return address and path of each."""
        made = []
        for number, segment in enumerate(self.segments):
            path = self.folder / f"{number}.bin"
            path.write_bytes(segment.content)
            made.append((segment.address, path))
        return made


@dataclass(frozen=True, slots=True)
class Step:
    """A command to run.

    Attributes:
        does: verb for messages, as in "could not write".
        words: command line, without the name of the tool.
        failure: pattern in the output that means failure, even with exit code 0; None: no pattern.
    """

    does: str
    words: Sequence[str]
    failure: re.Pattern[str] | None = None


_MISMATCH: Final = re.compile(r"Mismatched byte at|Verif\w* failed|Mismatch", re.IGNORECASE)


def _pyocd_words(board: Board, probe: str | None) -> list[str]:
    return ["--no-wait", "--target", board.pyocd, *([] if probe is None else ["--probe", probe])]


def _pyocd_reset(board: Board, probe: str | None, _: Path) -> Step:
    return Step("reset", ["reset", *_pyocd_words(board, probe)])


def _pyocd(job: Job) -> list[Step]:
    common = _pyocd_words(job.board, job.probe)
    erase = ["--erase", "chip" if job.erase else "sector"]
    load = ["load", *common, *erase, "--format", "elf", "--no-reset", str(job.image)]
    steps = [Step("write", load)]
    if job.verify:
        compare = [
            word
            for address, path in job.binaries()
            for word in ("--command", f"compare 0x{address:08x} '{path}'")
        ]
        steps.append(Step("verify", ["commander", *common, *compare], _MISMATCH))
    if job.reset:
        steps.append(_pyocd_reset(job.board, job.probe, job.folder))
    return steps


def _probe_rs_words(board: Board, probe: str | None) -> list[str]:
    chosen = [] if probe is None else ["--probe", usb_id(probe)]
    return ["--non-interactive", "--chip", board.probe_rs, *chosen]


def _probe_rs_reset(board: Board, probe: str | None, _: Path) -> Step:
    return Step("reset", ["reset", *_probe_rs_words(board, probe)])


def _probe_rs(job: Job) -> list[Step]:
    common = _probe_rs_words(job.board, job.probe)
    more = [*(["--chip-erase"] if job.erase else []), *(["--verify"] if job.verify else [])]
    steps = [Step("write", ["download", *common, *more, str(job.image)])]
    if job.reset:
        steps.append(_probe_rs_reset(job.board, job.probe, job.folder))
    return steps


def _openocd_words(board: Board, probe: str | None) -> list[str]:
    words = [word for file in board.openocd for word in ("-f", file)]
    return words if probe is None else [*words, "-c", f"adapter serial {probe}"]


def _openocd_reset(board: Board, probe: str | None, _: Path) -> Step:
    return Step("reset", [*_openocd_words(board, probe), "-c", "init; reset run; exit"])


def _openocd(job: Job) -> list[Step]:
    words = _openocd_words(job.board, job.probe)
    if job.erase:
        words += ["-c", "init; reset halt; flash erase_sector 0 0 last"]
    more = [*(["verify"] if job.verify else []), *(["reset"] if job.reset else []), "exit"]
    words += ["-c", " ".join(["program", f"{{{job.image}}}", *more])]
    return [Step("write", words)]


def _jlink_step(does: str, board: Board, probe: str | None, script: Path) -> Step:
    chosen = [] if probe is None else ["-USB", probe]
    common = ["-nogui", "1", "-if", "swd", "-speed", "auto", "-device", board.jlink]
    return Step(does, [*chosen, *common, "-CommanderScript", str(script)], _MISMATCH)


def _jlink_reset(board: Board, probe: str | None, folder: Path) -> Step:
    script = folder / "reset.jlink"
    script.write_text("ExitOnError 1\nr\ng\nq\n", encoding="utf-8")
    return _jlink_step("reset", board, probe, script)


def _jlink(job: Job) -> list[Step]:
    lines = ["ExitOnError 1", "r", *(["erase"] if job.erase else []), f'loadfile "{job.image}"']
    if job.verify:
        lines += [f'verifybin "{path}" 0x{address:08x}' for address, path in job.binaries()]
    lines += [*(["r", "g"] if job.reset else []), "q"]
    script = job.folder / "commands.jlink"
    script.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return [_jlink_step("write", job.board, job.probe, script)]


@dataclass(frozen=True, slots=True)
class Tool:
    """A flash tool.

    Attributes:
        program: name of its program on PATH.
        steps: returns the steps of a job.
        reset: returns the step that restarts a board, given board, probe id and an empty folder.
        install: advice how to install the tool.
    """

    program: str
    steps: Callable[[Job], list[Step]]
    reset: Callable[[Board, str | None, Path], Step]
    install: str


TOOLS: Final[Mapping[str, Tool]] = MappingProxyType(
    {
        "pyocd": Tool("pyocd", _pyocd, _pyocd_reset, "pip install 'tickertape[board]'"),
        "probe-rs": Tool("probe-rs", _probe_rs, _probe_rs_reset, "see https://probe.rs"),
        "openocd": Tool("openocd", _openocd, _openocd_reset, "sudo apt-get install openocd"),
        "jlink": Tool(
            "JLinkExe", _jlink, _jlink_reset, "see https://www.segger.com/downloads/jlink"
        ),
    }
)
"""Tools by the names that `flash --tool` accepts. The first installed one is the default."""
