"""The labgrid driver: flash a board, record it, control it, check its tape."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

import attr
from labgrid.driver import Driver
from labgrid.factory import target_factory
from labgrid.resource.base import SerialPort
from labgrid.util.proxy import proxymanager

from tickertape.api.recording import Recording
from tickertape.api.tape import Tape
from tickertape.cli.inside import command
from tickertape.collector import CaptureOptions
from tickertape.errors import TargetError, UsageError
from tickertape.lab.fault import Wanted, fault_of
from tickertape.lab.typed import stepped
from tickertape.link import open_link
from tickertape.symbols.elf import read_symbols

if TYPE_CHECKING:
    from tickertape.answers.check import Verdict
    from tickertape.collector import Progress

_CLOSE_S: Final = 60.0
_RFC2217_WAIT_S: Final = 3.0
RAW: Final = "raw"


@target_factory.reg_driver
@attr.s(eq=False)
class TickertapeDriver(Driver):  # type: ignore[misc]  # labgrid carries no types
    """Records a board whose trace comes over a serial port of labgrid.

    Attributes:
        folder: folder for the tapes; a relative path is relative to the configuration.
        baud: rate of the port; None for its `speed`.
        wait_s: how long to wait for the peer of a network port, in seconds.
        max_resets: number of resets that a recording may contain. After `flash` it contains one,
            which ends the previous firmware.
        tapes: recorded tapes, open, the newest last.
        progress: progress of the recording, updated four times a second; None before the first.
    """

    bindings: ClassVar = {
        "port": {"SerialPort", "NetworkSerialPort"},
        "flasher": {"BootstrapProtocol", None},
    }

    folder: str = attr.ib(default=".", validator=attr.validators.instance_of(str))
    baud: int | None = attr.ib(
        default=None, validator=attr.validators.optional(attr.validators.instance_of(int))
    )
    wait_s: float = attr.ib(default=5.0, converter=float)
    max_resets: int = attr.ib(default=1, validator=attr.validators.instance_of(int))

    def __attrs_post_init__(self) -> None:
        """Start without tapes."""
        super().__attrs_post_init__()
        self.tapes: list[Tape] = []
        self.progress: Progress | None = None
        self._count = 0
        self._image: Path | None = None
        self._running: tuple[Recording, Wanted, Path, float | None] | None = None
        self._sockets: tempfile.TemporaryDirectory[str] | None = None

    def on_deactivate(self) -> None:
        """Close the tapes, and drop a running recording. labgrid calls it."""
        self._drop()
        for tape in self.tapes:
            tape.close()

    @property
    def address(self) -> str:
        """Address of the port in the form of `tickertape capture`."""
        port = self.port
        baud = self.baud or port.speed
        if isinstance(port, SerialPort):
            return f"{port.port}?baud={baud}"
        host, number = proxymanager.get_host_and_port(port)
        if port.protocol == RAW:
            return f"socket://{host}:{number}"
        options = f"ign_set_control&timeout={_RFC2217_WAIT_S}&baud={baud}"
        return f"rfc2217://{host}:{number}?{options}"

    @stepped("image")
    def flash(self, image: str) -> None:
        """Write an image with the bound flash driver.

        Args:
            image: an ELF file: a name in `images:` of the configuration, or a path. Later
                recordings have to come from this build, and contain its names.

        Raises:
            UsageError: no flash driver is bound.
            FirmwareError: the image is not an ELF file.
        """
        path = self.path_of(image)
        read_symbols(path)
        if self.flasher is None:
            raise UsageError(
                f"no driver that flashes is bound for {self.target.name}",
                "add one with BootstrapProtocol to the drivers, such as OpenOCDDriver",
            )
        self._drop()
        self.flasher.load(str(path))
        self._image = path

    @stepped("image")
    def expect(self, image: str) -> None:
        """Require that recordings come from a build that is already on the board.

        Raises:
            FirmwareError: the image is not an ELF file.
        """
        path = self.path_of(image)
        read_symbols(path)
        self._image = path

    @stepped("duration_s")
    def record(self, duration_s: float | None = None, *, until_final: bool = False) -> Path:
        """Start a recording in the background; `stop` returns the tape.

        Args:
            duration_s: seconds of this machine's time; None to record until `stop`.
            until_final: end earlier, when the target announces its end, which it has to do in time.

        Returns:
            The path of the growing tape.

        Raises:
            UsageError: a recording is running.
            LinkError: the port cannot be opened.
        """
        if self._running is not None:
            raise UsageError(f"{self.target.name} is being recorded", "call stop() first")
        address = self.address
        names = None if self._image is None else read_symbols(self._image)
        path = self._tape_path()
        meta = {"link": address, "board": self.target.name}
        if self._image is not None:
            meta["elf"] = str(self._image)
        how = CaptureOptions(
            duration_s=duration_s,
            stop_when_final=until_final,
            meta=meta,
            symbols=names,
            on_progress=self._take,
        )
        self.progress = None
        self._sockets = tempfile.TemporaryDirectory(prefix="tickertape-")
        link = open_link(address, wait_s=self.wait_s)
        recording = Recording(link, f"{self._sockets.name}/control", how)
        wanted = Wanted(self.target.name, address, self.max_resets, until_final)
        self._running = (recording, wanted, path, duration_s)
        recording.start(path)
        return path

    @stepped()
    def stop(self) -> Tape:
        """Wait for the end of the recording, or end it if it has no duration; return the tape.

        Raises:
            UsageError: no recording is running.
            LinkError: the board is silent, sends other data, or its port disappeared.
            FirmwareError: the board runs another build than the expected one.
            TargetError: the board was reset too often, or did not end in time. After each of these
                errors but the first, the tape is at the path that `record` returned.
        """
        if self._running is None:
            raise UsageError(f"no recording of {self.target.name} runs", "call record() first")
        (recording, wanted, path, duration_s), self._running = self._running, None
        if duration_s is None:
            recording.stop()
        try:
            result = recording.wait((duration_s or 0.0) + _CLOSE_S)
        except TimeoutError as error:
            raise TargetError(
                f"the recording of {self.target.name} does not end", "check the exporter's host"
            ) from error
        finally:
            self._drop()
        fault = fault_of(result, wanted, stopped=not recording.ended_by_itself)
        if fault is not None:
            raise fault
        tape = Tape(path)
        self.tapes.append(tape)
        return tape

    def capture(self, duration_s: float, *, until_final: bool = False) -> Tape:
        """Record for `duration_s` seconds, as `record` and `stop` do; return the tape."""
        self.record(duration_s, until_final=until_final)
        return self.stop()

    @stepped("words")
    def control(self, *words: str) -> str:
        """Send a command to the board, also during a recording; return the answer.

        Args:
            words: words after `tickertape control LINK`, such as `"del-class", "SCHED"`.

        Raises:
            TargetError: the command failed; it has the message of the command line.
        """
        link = f"unix:{self._sockets.name}/control" if self._sockets else self.address
        said = command("control", link, *words)
        if said.code:
            raise TargetError(said.complaint or said.out, "see: tickertape control --help")
        return said.out

    @stepped("spec")
    def check(self, spec: str, tape: Tape | None = None) -> list[Verdict]:
        """Check a tape, by default the newest; see docs/check.md.

        Args:
            spec: path of the specification, relative to the configuration.
            tape: tape to check; None for the newest.

        Raises:
            UsageError: nothing was recorded, or the specification cannot be used.
        """
        if tape is None and not self.tapes:
            raise UsageError(f"{self.target.name} was not recorded", "call capture() first")
        chosen = self.tapes[-1] if tape is None else tape
        return list(chosen.check(self.path_of(spec)))

    def path_of(self, name: str) -> Path:
        """Return the path of a name in `images:`, else a path relative to the configuration."""
        config = self.target.env.config if self.target.env else None
        if config is None:
            return Path(name)
        return Path(config.get_images().get(name) or config.resolve_path(name))

    def _tape_path(self) -> Path:
        folder = self.path_of(self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        self._count += 1
        mark = f"-{self._count}" if self._count > 1 else ""
        return folder / f"{self.target.name}{mark}.tape"

    def _take(self, progress: Progress) -> None:
        self.progress = progress

    def _drop(self) -> None:
        """End a running recording, whose tape is closed, and remove its control socket."""
        running, self._running = self._running, None
        if running is not None:
            running[0].stop()
            try:
                running[0].wait(_CLOSE_S)
            except Exception:
                self.logger.warning("a recording that was dropped has failed", exc_info=True)
        if self._sockets is not None:
            self._sockets.cleanup()
            self._sockets = None
