"""`tickertape capture`: capture a trace from a device or a connection."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.judging import add_check, judging_of, watched
from tickertape.cli.options import add_output, add_quiet, add_raw, add_wait, seconds
from tickertape.cli.output import ProgressLine, report_capture, warn
from tickertape.cli.session import controlled
from tickertape.cli.summarise import summarise
from tickertape.cli.target_options import add_control, add_rotation, control_of, rotation_of
from tickertape.collector import CaptureOptions, capture
from tickertape.errors import UsageError
from tickertape.link import open_link
from tickertape.probe import is_probe, open_probe
from tickertape.symbols.elf import read_symbols
from tickertape.symbols.zephyr_build import find_build, find_builds

if TYPE_CHECKING:
    import argparse

    from tickertape.link import Link
    from tickertape.symbols.zephyr_build import ZephyrBuild


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "link",
        nargs="?",
        metavar="LINK",
        help="a serial device, socket://host:port, tcp-listen://host:port, udp://host:port, "
        "unix:path, rtt://host:port, gdb://host:port?at=ADDRESS, memory:FILE, probe:ACCESS, "
        "swo:LINK, a file of recorded bytes, or - for standard input (docs/cli.md lists all); "
        "default in a build folder of Zephyr: the link of that build",
    )
    add_output(parser)
    add_raw(parser)
    parser.add_argument(
        "--baud",
        type=int,
        metavar="N",
        help="rate of a serial device (default: 115200, or that of the Zephyr build folder)",
    )
    add_wait(parser)
    parser.add_argument(
        "--duration",
        type=seconds,
        metavar="S",
        help="seconds of this machine's time (default: until the link ends or Ctrl-C)",
    )
    add_rotation(parser)
    parser.add_argument(
        "--elf",
        type=Path,
        metavar="ELF",
        help="the firmware that runs, with debug information; probe:... needs it to read the rings "
        "in the target's memory (as --symbols, it also stores the names)",
    )
    parser.add_argument(
        "--symbols",
        type=Path,
        metavar="ELF",
        help="store the names of this firmware on the tape, so that readers need no ELF file",
    )
    add_control(parser)
    add_check(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Capture, and print the path of the tape."""
    judging = judging_of(arguments)
    build = _build_of(arguments)
    source = _link_of(arguments, build)
    baud = arguments.baud if arguments.baud is not None or build is None else build.baud
    named = arguments.symbols or arguments.elf
    symbols = None if named is None else read_symbols(named)
    with (
        ProgressLine(quiet=arguments.quiet, first="waiting for the target") as line,
        closing(_open(source, arguments, baud)) as link,
        controlled(link, control_of(arguments)) as on_frame,
    ):
        options = CaptureOptions(
            duration_s=arguments.duration,
            # Readers use names of this ELF file only if it is the build that was traced.
            meta={"link": source} | ({"elf": str(build.elf)} if build else {}),
            on_progress=line.update,
            on_frame=on_frame,
            rotation=rotation_of(arguments),
            symbols=symbols,
            raw=arguments.raw,
        )
        result = capture(link, arguments.output, watched(options, judging, line))
    summarise(result.tapes, quiet=arguments.quiet)
    code = report_capture(result, arguments.output, quiet=arguments.quiet)
    return code if judging is None else judging.judged(code, result.tapes)


def _open(source: str, arguments: argparse.Namespace, baud: int | None) -> Link:
    """Open a link, or a probe that reads the rings instead of the drain."""
    if not is_probe(source):
        return open_link(source, baud=baud, wait_s=arguments.wait)
    if arguments.elf is None:
        raise UsageError(
            f"{source} needs the ELF file of the firmware",
            f"tickertape capture {source} --elf firmware.elf",
        )
    link = open_probe(source, arguments.elf, wait_s=arguments.wait)
    if source.startswith("probe:gdb:") and not arguments.quiet:
        warn("a GDB server halts the target for each read of its memory, which changes its times")
    return link


def _build_of(arguments: argparse.Namespace) -> ZephyrBuild | None:
    """Find the Zephyr build here; None if there are several and the user gave the link."""
    builds = find_builds(Path.cwd())
    if arguments.link is not None and len(builds) > 1:
        return None
    return find_build(Path.cwd())


def _link_of(arguments: argparse.Namespace, build: ZephyrBuild | None) -> str:
    """Return the link that the user gave, else the link of the Zephyr build here."""
    if arguments.link is not None:
        return str(arguments.link)
    if build is None:
        raise UsageError(
            "no link is named, and there is no build of Zephyr with tickertape here",
            "name the device or connection, as in: tickertape capture /dev/ttyACM0 -o T.tape",
        )
    file = build.file
    if file is not None and not Path(file).exists():
        raise UsageError(
            f"there is no file {file}, to which the build here writes by semihosting",
            "start the target with semihosting in this folder, or name the file",
        )
    if build.is_emulated and build.link is None:
        raise UsageError(
            "the build here is for QEMU", "start and capture it: tickertape run -o T.tape"
        )
    if build.stimulus is not None:
        raise UsageError(
            "the build here sends its trace over SWO, and the link to the pin is unknown",
            "name it, as in: tickertape capture "
            f"swo:socket://localhost:3443?stimulus={build.stimulus} -o T.tape",
        )
    if build.link is None:
        raise UsageError(
            "the build here sends its trace over a UART, and the device is unknown",
            "name it, as in: tickertape capture /dev/ttyACM0 -o T.tape",
        )
    return build.link
