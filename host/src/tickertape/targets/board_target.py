"""Run an image on a real board: flash it, reset the board, and capture its serial port."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from tickertape.closing import Closing
from tickertape.errors import LinkMissing, TargetError, UsageError
from tickertape.link import open_link
from tickertape.link.base import LiveLink
from tickertape.targets import flash as flashing
from tickertape.targets.base import STREAM
from tickertape.targets.boards import find_board
from tickertape.targets.firmware import ARM_COMPILER, build_image
from tickertape.targets.probes import connected

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tickertape.link.base import Link
    from tickertape.targets.base import Image
    from tickertape.targets.probes import Probe

PREFIX: Final = "board:"
"""Prefix of the name of a board target: board:NAME[@PROBE]."""


class _Timed(LiveLink):
    """A link that ends after some time of the host's clock."""

    def __init__(self, link: Link, duration_s: float | None) -> None:
        """Take ownership of `link`; end after `duration_s` seconds, or with `link` if None."""
        super().__init__(link.name)
        self._link = link
        self._end_s = None if duration_s is None else time.monotonic() + duration_s
        self.write, self.close = link.write, link.close

    @property
    def byte_rate(self) -> float:
        """Highest rate of the line, in bytes per second."""
        return self._link.byte_rate

    @property
    def at_end(self) -> bool:
        """True once the time is over or the inner link has ended."""
        over = self._end_s is not None and time.monotonic() >= self._end_s
        return over or self._link.at_end

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return the bytes that have arrived; see `Link.read`."""
        return b"" if self.at_end else self._link.read(max_bytes, timeout_s)


class BoardRun(Closing):
    """A running board. Implements `targets.base.Run`. It keeps running after the capture."""

    def __init__(self, link: Link) -> None:
        """Take ownership of the link to its serial port."""
        self._link = link

    @property
    def link(self) -> Link:
        """Link that carries its trace."""
        return self._link

    def finish(self) -> None:
        """Return at once: a board does not end."""

    def close(self) -> None:
        """Close the port."""
        self._link.close()


class BoardTarget:
    """A board at a debug probe. Implements `targets.base.Target`."""

    def __init__(self, board: str, probe: str | None = None) -> None:
        """Find a board of `boards.BOARDS`.

        Args:
            board: name of the board.
            probe: id of its debug probe, or a part of the id; None: the only connected probe.

        Raises:
            UsageError: no board has this name, or the id is empty.
        """
        if probe == "":
            raise UsageError(f"{PREFIX}{board}@ names no probe", "write its id after the @")
        self.board = board
        self.probe = probe
        self._facts = find_board(board)

    @property
    def name(self) -> str:
        """Name for messages."""
        return f"{PREFIX}{self.board}" + (f"@{self.probe}" if self.probe else "")

    def build(self, example: str) -> Image:
        """Build an example; see `Target`."""
        return build_image(example, self._facts.firmware, ARM_COMPILER)

    def start(
        self,
        image: Image,
        *,
        duration_s: float | None = None,
        options: Mapping[str, int] | None = None,
        realtime: bool = True,  # noqa: ARG002 - a board has no other time
    ) -> BoardRun:
        """Flash an image, open the serial port of the probe, and reset the board.

        The port is opened before the firmware starts, so that the tape contains the whole boot. The
        duration counts from the reset, by the host's clock; the board keeps running afterwards.

        Raises:
            UsageError: options were given, or no flash tool is installed.
            FirmwareError: the image is for another chip.
            LinkMissing: no probe matches, several match, or the probe does not have exactly one
                serial port.
            LinkDenied: the user may not open probe or port.
            TargetError: the flash tool failed, or the trace of the image is not a stream.
        """
        if options:
            raise UsageError(
                f"{self.name} takes no options: {', '.join(options)}",
                "leave --option out, and change the source of the example",
            )
        if image.link != STREAM:
            raise TargetError(
                f"{self.name} has no network: its trace goes over a UART",
                f"run an example with a stream, not {image.example}",
            )
        probe = self.find_probe()
        port = self.port_of(probe)
        serial = None if self.probe is None else probe.serial
        flashing.flash(image.path, self.board, probe=serial, reset=False)
        link = open_link(f"{port}?baud={self._facts.baud}")
        try:
            flashing.reset(self.board, probe=serial)
        except BaseException:
            link.close()
            raise
        return BoardRun(_Timed(link, duration_s))

    def find_probe(self) -> Probe:
        """Return the probe of the board.

        Raises:
            LinkMissing: no probe matches, or several match.
            LinkDenied: the user may not open the probe; the advice contains the udev rule.
        """
        probes = connected()
        chosen = [one for one in probes if self.probe is None or self.probe in one.serial]
        if len(chosen) == 1:
            if not chosen[0].may_open:
                raise flashing.denied(chosen[0])
            return chosen[0]
        ids = ", ".join(f"{one.serial or 'without an id'} ({one.kind})" for one in probes)
        if not probes:
            raise LinkMissing("no debug probe is connected", "plug one in; lsusb shows it")
        if not chosen:
            raise LinkMissing(
                f"no debug probe has the id {self.probe}; connected: {ids}",
                f"name one of them: --target {PREFIX}{self.board}@ID",
            )
        raise LinkMissing(
            f"{len(chosen)} debug probes match: {ids}",
            f"name one: --target {PREFIX}{self.board}@ID",
        )

    def port_of(self, probe: Probe) -> Path:
        """Return the only serial port of a probe.

        Raises:
            LinkMissing: the probe has no serial port, or several.
        """
        if len(probe.ports) == 1:
            return probe.ports[0]
        found = " and ".join(map(str, probe.ports)) or "no serial port"
        raise LinkMissing(
            f"the {probe.kind} {probe.serial} has {found}",
            f"connect one to the trace UART, then: tickertape flash --board {self.board} IMAGE; "
            "tickertape capture PORT -o T.tape",
        )
