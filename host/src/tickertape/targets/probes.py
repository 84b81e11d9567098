"""List the debug probes connected to this machine: id, access, serial ports."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from serial.tools.list_ports import comports

_SYS: Final = Path("/sys/bus/usb/devices")
_DEV: Final = Path("/dev")
_ANY: Final = ""
_MAKERS: Final = {
    "0483": ("ST-LINK", ("3744", "3748", "374a", "374b", "374d", "374e", "374f", "3753", "3754")),
    "0d28": ("DAPLink", ("0204",)),
    "1366": ("J-Link", (_ANY,)),
    "2e8a": ("Debug Probe of Raspberry Pi", ("000c",)),
}
"""Name and USB product numbers by USB vendor number; `_ANY` matches every product."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A debug probe.

    Attributes:
        kind: name of its kind, for messages.
        vendor: USB vendor number, four hexadecimal digits.
        product: USB product number, four hexadecimal digits.
        serial: id of the probe (USB serial number); empty if it has none.
        node: path of the USB device below /dev; of a serial port if the system is not Linux.
        may_open: this user may open the device.
        ports: its serial ports, such as /dev/ttyACM0.
    """

    kind: str
    vendor: str
    product: str
    serial: str
    node: Path
    may_open: bool
    ports: tuple[Path, ...]

    @property
    def rule(self) -> str:
        """Udev rule that allows users of the machine to open the probe."""
        return f'SUBSYSTEM=="usb", ATTR{{idVendor}}=="{self.vendor}", MODE="0660", TAG+="uaccess"'


def connected(sys: Path = _SYS, dev: Path = _DEV) -> list[Probe]:
    """Return the connected debug probes; on other systems than Linux, those with a serial port."""
    if not sys.is_dir():
        return _with_ports()
    return [probe for folder in sorted(sys.iterdir()) if (probe := _probe(folder, dev)) is not None]


def usb_id(serial: str) -> str:
    """Return the id in the form of probe-rs, VENDOR:PRODUCT:SERIAL; unchanged if not connected."""
    return next(
        (f"{one.vendor}:{one.product}:{serial}" for one in connected() if one.serial == serial),
        serial,
    )


def _with_ports() -> list[Probe]:
    """Return the probes of the serial ports that pyserial finds; `may_open` is not checked."""
    found: dict[tuple[str, str, str], list[Path]] = {}
    for port in comports():
        vendor, product = f"{port.vid or 0:04x}", f"{port.pid or 0:04x}"
        _, products = _MAKERS.get(vendor, ("", ()))
        if product in products or _ANY in products:
            key = vendor, product, port.serial_number or ""
            found.setdefault(key, []).append(Path(port.device))
    return [
        Probe(_MAKERS[key[0]][0], *key, paths[0], True, tuple(sorted(paths)))  # noqa: FBT003 - a field
        for key, paths in found.items()
    ]


def _probe(folder: Path, dev: Path) -> Probe | None:
    vendor, product = _fact(folder, "idVendor"), _fact(folder, "idProduct")
    kind, products = _MAKERS.get(vendor, ("", ()))
    if product not in products and _ANY not in products:
        return None
    bus, number = _fact(folder, "busnum"), _fact(folder, "devnum")
    if not (bus.isdecimal() and number.isdecimal()):
        return None
    node = dev / f"bus/usb/{int(bus):03}/{int(number):03}"
    ports = sorted({path.name for path in folder.glob("*:*/tty/*")})
    may_open = os.access(node, os.R_OK | os.W_OK)
    serial = _fact(folder, "serial")
    return Probe(kind, vendor, product, serial, node, may_open, tuple(dev / name for name in ports))


def _fact(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
