"""Targets in Python programs: capture a link, control a target, run an example."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.closing import Closing
from tickertape.collector import CaptureOptions
from tickertape.collector import capture as capture_link
from tickertape.collector.run_image import run_image
from tickertape.control import ControlClient
from tickertape.control.channel import LinkChannel
from tickertape.errors import UsageError
from tickertape.link import open_link
from tickertape.link.address import file_of
from tickertape.protocol.matching import class_of, codes_of
from tickertape.protocol.wire import CLASS_SHIFT, EVENT_MASK
from tickertape.symbols.elf import read_symbols

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tickertape.collector import CaptureResult, Progress
    from tickertape.link.base import Link

_PATIENCE_S: Final = 15.0


def capture(  # noqa: PLR0913 - the options of a capture, by keyword
    link: str,
    path: Path | str,
    *,
    baud: int | None = None,
    wait_s: float = 5.0,
    duration_s: float | None = None,
    symbols: Path | str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> CaptureResult:
    """Capture from a link into a new tape until the link ends, as `tickertape capture`.

        result = tickertape.capture("/dev/ttyACM0", "T.tape", baud=921600, duration_s=10)
        print(result.reason, result.progress.events, result.problems)

    In the main thread SIGINT (Ctrl-C) and SIGTERM end the capture in order.

    Args:
        link: an address, see docs/cli.md: a device, `socket://host:port`, a file of bytes, ....
        path: the tape to write; a file of this name is replaced.
        baud: rate of a serial device; 115200 when None.
        wait_s: time to wait for the peer of a socket, in seconds.
        duration_s: duration in seconds of this machine; None until the link ends.
        symbols: an ELF file whose names are stored on the tape; None: no names.
        on_progress: called about four times a second.

    Returns:
        Reason of the end, final counts, and later faults. The tape is valid in spite of these.

    Raises:
        LinkError: the link cannot be opened.
        FirmwareError: `symbols` cannot be read.
        TapeWriteFailed: the tape cannot be created.
        UsageError: `duration_s` is not above 0, or the tape is the file of the link.
    """
    _refuse_no_time(duration_s)
    source = file_of(link)
    if source is not None and source.exists() and Path(path).exists() and source.samefile(path):
        raise UsageError(f"{path} is the file to be read", "give the tape another name")
    names = None if symbols is None else read_symbols(Path(symbols))
    with closing(open_link(link, baud=baud, wait_s=wait_s)) as opened:
        how = CaptureOptions(
            duration_s=duration_s, meta={"link": link}, on_progress=on_progress, symbols=names
        )
        return capture_link(opened, path, how)


def run(  # noqa: PLR0913 - the options of a run, by keyword
    path: Path | str | None = None,
    *,
    target: str = "native",
    example: str = "first_tape",
    duration_s: float | None = None,
    options: Mapping[str, int] | None = None,
    realtime: bool = False,
    symbols: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> CaptureResult:
    """Build an example, run it and capture its trace, as `tickertape run`.

        result = tickertape.run(target="qemu", example="philosophers", duration_s=2)
        tape = tickertape.open(result.tapes[0])

    Args:
        path: the tape to write; a file of this name is replaced. None for the name of the example
            with `.tape`, in the current folder.
        target: name of the target: `native`, `qemu`, `renode`, ...; `tickertape targets` lists
            them.
        example: name of the application.
        duration_s: seconds of the target's own time; the example's default when None.
        options: numbers for the application, by name.
        realtime: run the target in real time instead of virtual time.
        symbols: store the names of the firmware on the tape.
        on_progress: called about four times a second.

    Returns:
        As `capture`. The problems include a failure of the firmware at its end.

    Raises:
        UsageError: there is no such target or option, or `duration_s` is not above 0.
        FirmwareError: there is no such example, or it does not build.
        TargetError: the target does not start.
        TapeWriteFailed: the tape cannot be created.
    """
    from tickertape.targets import find_target  # noqa: PLC0415 - POSIX systems only

    _refuse_no_time(duration_s)
    found = find_target(target)
    return run_image(
        found,
        found.build(example),
        f"{example}.tape" if path is None else path,
        CaptureOptions(on_progress=on_progress),
        duration_s=duration_s,
        options=options,
        realtime=realtime,
        symbols=symbols,
    )


def connect(
    link: str,
    *,
    baud: int | None = None,
    wait_s: float = 1.0,
    stream: int = 0,
    patience_s: float = _PATIENCE_S,
) -> Control:
    """Connect to a target to control it, as `tickertape control`.

        with tickertape.connect("unix:/tmp/target") as target:
            target.deselect("INT", "MUTEX_*")
            print(target.status().running)

    Args:
        link: `unix:SOCKET` of a capture that runs with `--control`, or a link that no other program
            reads.
        baud: rate of a serial device; 115200 when None.
        wait_s: time to wait for the peer of a socket, in seconds.
        stream: number of the stream to control.
        patience_s: time to wait for each answer, in seconds.

    Raises:
        LinkError: the link cannot be opened.
    """
    opened = open_link(link, baud=baud, wait_s=wait_s)
    return Control(opened, stream=stream, patience_s=patience_s)


class Control(ControlClient, Closing):
    """A connection to a target; use it as a context manager, or `close` it.

    Each method returns when the target has executed the command. A refused command raises
    `CommandRefused`; a target that does not answer raises `LinkSilent`.
    """

    def __init__(self, link: Link, *, stream: int, patience_s: float) -> None:
        """Use an open link, which `close` closes."""
        super().__init__(LinkChannel(link), stream=stream, patience_s=patience_s)
        self._link = link

    def close(self) -> None:
        """Close the link. May be called twice."""
        self._link.close()

    def select(self, *names: str) -> None:
        """Record these classes and events: `SCHED`, `MUTEX_*`, `USER.77`.

        Raises:
            UsageError: there is no such class or event; no command was sent.
        """
        self._choose(names, take=True)

    def deselect(self, *names: str) -> None:
        """Stop recording these classes and events.

        Raises:
            UsageError: there is no such class or event; no command was sent.
        """
        self._choose(names, take=False)

    def _choose(self, names: tuple[str, ...], *, take: bool) -> None:
        for found in [_chosen(name) for name in names]:
            if isinstance(found, int):
                self.select_class(found, take=take)
                continue
            for code in sorted(found):
                self.select_event(code >> CLASS_SHIFT, code & EVENT_MASK, take=take)


def _chosen(name: str) -> int | frozenset[int]:
    """Return the number of the class with a name, else the codes of the events."""
    try:
        return class_of(name)
    except UsageError:
        return codes_of(name)


def _refuse_no_time(duration_s: float | None) -> None:
    if duration_s is not None and not 0.0 < duration_s < float("inf"):
        raise UsageError(f"duration_s cannot be {duration_s!r}", "give a number of seconds above 0")
