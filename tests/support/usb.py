"""Make folders as Linux lists USB devices in /sys and /dev."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def usb(folder: Path, number: int, vendor: str, product: str, serial: str = "") -> Path:
    """Make the folders of a USB device below `folder`; return its folder in sys."""
    device = folder / f"sys/1-{number}"
    device.mkdir(parents=True)
    facts = {"idVendor": vendor, "idProduct": product, "busnum": "1", "devnum": str(number)}
    for name, fact in {**facts, **({"serial": serial} if serial else {})}.items():
        (device / name).write_text(f"{fact}\n")
    node = folder / f"dev/bus/usb/001/{number:03}"
    node.parent.mkdir(parents=True, exist_ok=True)
    node.touch()
    return device
