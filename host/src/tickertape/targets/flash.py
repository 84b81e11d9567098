"""Write an image to the chip of a board with an installed flash tool."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.errors import LinkDenied, LinkMissing, TargetError, UsageError, nearest
from tickertape.targets.boards import find_board, segments_for
from tickertape.targets.flash_tools import TOOLS, Job
from tickertape.targets.probes import connected

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tickertape.errors import TickertapeError
    from tickertape.targets.boards import Board
    from tickertape.targets.flash_tools import Step, Tool
    from tickertape.targets.probes import Probe

_LIMIT_S: Final = 600
_RULES: Final = "/etc/udev/rules.d/60-debug-probe.rules"

# Messages of the tools, by fault. The first pattern that matches determines the error.
_NO_PROBE: Final = re.compile(
    r"no (connected |available )?(debug )?probes?|no device found|unable to find .*(probe|adapter)"
    r"|cannot connect to (the )?(j-link|probe)|probe (was )?not found|no target device available"
    r"|failed to open .*probe",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"permission denied|access denied|insufficient permissions|LIBUSB_ERROR_ACCESS|\[Errno 13\]",
    re.IGNORECASE,
)
_NO_TYPE: Final = re.compile(
    r"target type \S+ not recognized|chip .* was not found|can't find board/|can't find target/"
    r"|unknown device|device .* not supported",
    re.IGNORECASE,
)
_LOCKED: Final = re.compile(
    r"locked|read[- ]?out protect|readprotect|APPROTECT|device security bit set|is protected"
    r"|secured device|device is secured",
    re.IGNORECASE,
)
_OTHER_CHIP: Final = re.compile(
    r"unexpected idcode|wrong (chip|device|target)|expected .*idcode|cannot identify target"
    r"|device id .* does not match|identified as",
    re.IGNORECASE,
)
_COMPLAINT: Final = re.compile(r"error|fail|mismatch", re.IGNORECASE)


def flash(  # noqa: PLR0913 - the options of the command
    image: Path,
    board: str,
    *,
    probe: str | None = None,
    tool: str | None = None,
    erase: bool = False,
    verify: bool = True,
    reset: bool = True,
    say: Callable[[str], None] = lambda _: None,
) -> str:
    """Write an image to the chip of a board.

    Args:
        image: path of an ELF file.
        board: name of a board in `boards.BOARDS`.
        probe: id of the debug probe, or a part of the id; None: the only connected probe.
        tool: name of a tool in `flash_tools.TOOLS`; None: the first installed one.
        erase: erase the whole chip first, not only the sectors to be written.
        verify: compare the memory with the image afterwards.
        reset: start the new firmware at the end.
        say: called with a line of text for each step.

    Returns:
        The name of the tool.

    Raises:
        UsageError: there is no such board or tool, or no tool is installed.
        FirmwareError: the image is not an ELF file, or is for another chip.
        LinkMissing: there is no probe, or several are connected and `probe` is None.
        LinkDenied: the user may not open the probe; the advice contains the udev rule.
        TargetError: the tool failed; the error contains its message.
    """
    chosen = find_board(board)
    segments = segments_for(image, chosen)
    name, program = find_tool(tool)
    serial = _serial(probe)
    with tempfile.TemporaryDirectory(prefix="tickertape-") as folder:
        job = Job(chosen, image.resolve(), segments, serial, erase, verify, reset, Path(folder))
        for step in TOOLS[name].steps(job):
            say(f"{step.does}: {name} {' '.join(step.words)}")
            _do(name, program, step, chosen)
    return name


def reset(board: str, *, probe: str | None = None, tool: str | None = None) -> None:
    """Restart the firmware of a board.

    Args:
        board: name of a board in `boards.BOARDS`.
        probe: id of the debug probe, or a part of the id; None: the only connected probe.
        tool: name of a tool in `flash_tools.TOOLS`; None: the first installed one.

    Raises:
        UsageError, LinkMissing, LinkDenied, TargetError: as `flash`.
    """
    chosen = find_board(board)
    name, program = find_tool(tool)
    with tempfile.TemporaryDirectory(prefix="tickertape-") as folder:
        _do(name, program, TOOLS[name].reset(chosen, _serial(probe), Path(folder)), chosen)


def find_tool(name: str | None) -> tuple[str, str]:
    """Return name and program path of an installed tool; for None, of the first installed one.

    Raises:
        UsageError: there is no tool with this name, or it is not installed.
    """
    if name is not None and name not in TOOLS:
        raise UsageError(f"no tool is called {name!r}", nearest(name, TOOLS))
    wanted = TOOLS if name is None else {name: TOOLS[name]}
    for one, tool in wanted.items():
        program = _program(tool)
        if program is not None:
            return one, program
    if name is not None:
        raise UsageError(f"{TOOLS[name].program} is not installed", TOOLS[name].install)
    raise UsageError(f"none of {', '.join(TOOLS)} is installed", f"type: {TOOLS['pyocd'].install}")


def _program(tool: Tool) -> str | None:
    """Return the path of a tool's program on PATH or beside this Python (pip); None without one."""
    return shutil.which(tool.program) or shutil.which(
        tool.program, path=sysconfig.get_path("scripts")
    )


def _serial(wanted: str | None) -> str | None:
    """Return the probe id to pass to the tool: the full id if one known probe matches `wanted`.

    Tools support more probes than `probes.connected` lists, so an unknown id is passed unchanged.

    Raises:
        LinkMissing: several probes are connected, and `wanted` is None.
        LinkDenied: the user may not open a matching probe.
    """
    probes = connected()
    chosen = [one for one in probes if wanted is None or wanted in one.serial]
    if wanted is None and len(chosen) > 1:
        ids = ", ".join(f"{one.serial} ({one.kind})" for one in chosen)
        raise LinkMissing(
            f"{len(chosen)} debug probes are connected: {ids}", "name one: --probe ID"
        )
    for one in chosen:
        if not one.may_open:
            raise denied(one)
    return chosen[0].serial or wanted if len(chosen) == 1 and wanted is not None else wanted


def denied(probe: Probe) -> LinkDenied:
    """Return the error for a probe that this user may not open, with the rule that allows it."""
    return LinkDenied(
        f"you may not open the {probe.kind} {probe.serial} ({probe.node})",
        f"type: echo '{probe.rule}' | sudo tee {_RULES}; sudo udevadm control --reload; "
        "then plug it in again",
    )


def _do(name: str, program: str, step: Step, board: Board) -> None:
    try:
        done = subprocess.run(
            [program, *step.words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=_LIMIT_S,
            check=False,
        )
    except OSError as error:
        raise TargetError(
            f"{program} cannot be started ({error.strerror})", "install it"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise TargetError(
            f"{name} did not {step.does} within {_LIMIT_S} s", "check probe and cable"
        ) from error
    failed = step.failure is not None and step.failure.search(done.stdout) is not None
    if done.returncode or failed:
        raise fault_of(name, step.does, done.stdout.splitlines(), board)


def fault_of(name: str, does: str, lines: Sequence[str], board: Board) -> TickertapeError:
    """Return the error that the output of a failed tool means.

    Args:
        name: name of the tool.
        does: verb of the failed step, as in "could not write".
        lines: output of the tool.
        board: the board to flash.
    """
    text = "\n".join(lines)
    if _DENIED.search(text):
        return LinkDenied(
            f"{name} may not open the USB device of the probe",
            f'let users open it: echo \'SUBSYSTEM=="usb", ATTR{{idVendor}}=="VENDOR", '
            f'MODE="0660", TAG+="uaccess"\' | sudo tee {_RULES}, with VENDOR as lsusb shows it; '
            "then plug it in again",
        )
    if _NO_TYPE.search(text):
        pack = f"pyocd pack install {board.pack}" if name == "pyocd" and board.pack else None
        return TargetError(
            f"{name} does not know {board.chip}", f"type: {pack}" if pack else "install a newer one"
        )
    if _NO_PROBE.search(text):
        return LinkMissing(
            f"{name} finds no debug probe", "plug it in; with --probe check its id by lsusb -v"
        )
    if _LOCKED.search(text):
        return TargetError(
            f"the chip is locked, so {name} could not {does}",
            "unlock it by the tool of its maker; this erases it",
        )
    if _OTHER_CHIP.search(text):
        return TargetError(
            f"the probe is connected to another chip than {board.chip}", "check --board"
        )
    shown = [line.strip() for line in lines if line.strip()]
    told = [line for line in shown if _COMPLAINT.search(line)]
    said = (told or shown or ["no message"])[0]
    return TargetError(f"{name} could not {does}: {said}", "check cable and supply, then try again")
