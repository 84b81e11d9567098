"""Open `probe:...` addresses as links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.errors import FirmwareError, LinkError, UsageError
from tickertape.formats.image.recorder import Recorder
from tickertape.link.address import host_and_port, parse_address
from tickertape.link.gdb_server import connect_gdb
from tickertape.link.openocd import DEFAULT_PORT, connect_openocd
from tickertape.link.pyocd_memory import PyocdMemory
from tickertape.link.target_memory import FileMemory
from tickertape.probe.link import ProbeLink

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tickertape.link.target_memory import Memory

_EXAMPLES: Final = (
    "probe:gdb://localhost:3333, probe:openocd://localhost:6666, probe:pyocd, probe:pyocd@ID or "
    "probe:file:RAM?base=0x20000000"
)
_EXAMPLE_GDB: Final = "probe:gdb://localhost:3333"


class RamFile:
    """RAM of an emulator in a file, by the target's addresses. Implements `Memory`."""

    def __init__(self, file: FileMemory, base: int) -> None:
        """Take ownership of a file; its first byte has the target address `base`."""
        self._file = file
        self._base = base

    @property
    def at_end(self) -> bool:
        """True after `close`: a file does not reveal the end of the target."""
        return self._file.at_end

    def access(self) -> AbstractContextManager[object]:
        """Return an empty context, after a check of the file; see `FileMemory.access`."""
        return self._file.access()

    def find(self) -> int | None:
        """Return None: this memory has no link; see `Memory`."""
        return None

    def read(self, place: int, count: int) -> bytes:
        """Return bytes of the file; addresses outside the file have no bytes."""
        return self._file.read(place - self._base, count) if place >= self._base else b""

    def write(self, place: int, data: bytes) -> None:
        """Store bytes in the file; see `Memory`."""
        self._file.write(place - self._base, data)

    def close(self) -> None:
        """Unmap the file. May be called twice."""
        self._file.close()


def open_probe(url: str, elf: Path, *, wait_s: float = 5.0) -> ProbeLink:
    """Open a link that drains a target through a debug probe.

    Args:
        url: `probe:`, then the access to the target's memory.
        elf: path of the ELF file of the running firmware, with debug information.
        wait_s: time to wait for a server, in seconds.

    Raises:
        UsageError: the address is malformed, or pyOCD is not installed.
        FirmwareError: the file is not an ELF file, is big-endian, or was built without
            TT_CONFIG_PROBE.
        LinkError: there is no probe, it does not reach the target, or the target runs another
            firmware.
    """
    recorder = Recorder(elf)
    if recorder.order != "little":
        raise FirmwareError(f"{elf} is of a big-endian target", "capture its trace over a link")
    if not recorder.serves_probes:
        raise FirmwareError(
            f"the recorder of {elf} does not allow a probe to read its buffers",
            "build it with TT_CONFIG_PROBE=1",
        )
    rings = recorder.variable("ring.c", "tt_rings").address
    link = ProbeLink(_memory(url, parse_address(url).path, rings, wait_s), recorder, url)
    try:
        link.check_image()
    except LinkError:
        link.close()
        raise
    return link


def _memory(url: str, access: str, place: int, wait_s: float) -> Memory:
    """Open access to the memory of a target; a GDB server is tested by reading at `place`."""
    kind, _, rest = access.partition(":")
    if kind == "gdb":
        host, port = host_and_port(access, url, _EXAMPLE_GDB)
        if port is None:
            raise UsageError(f"{url} names no port", f"write it as {_EXAMPLE_GDB}")
        return connect_gdb(host, port, place, url, wait_s, "check that --elf is what runs there")
    if kind == "openocd":
        host, port = host_and_port(access, url, "probe:openocd://localhost:6666")
        return connect_openocd(host, port or DEFAULT_PORT, url, wait_s)
    if kind == "file" and rest:
        path, _, base = rest.partition("?base=")
        try:
            return RamFile(FileMemory(path, None), int(base or "0", 0))
        except ValueError as error:
            raise UsageError(
                f"{url}: '{base}' is not an address", "e.g. ?base=0x20000000"
            ) from error
    if kind == "pyocd" or kind.startswith("pyocd@"):
        return PyocdMemory(access.partition("@")[2] or None, url)
    raise UsageError(f"{url} names no way to the target's memory", f"write it as {_EXAMPLES}")


def is_probe(url: str) -> bool:
    """Return whether an address is `probe:...`."""
    return url.startswith("probe:")
