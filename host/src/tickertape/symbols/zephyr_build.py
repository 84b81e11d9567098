"""Settings from a build folder of Zephyr: the ELF file and the link of the trace.

build = find_build(Path.cwd())
if build is not None:
    link, elf, baud = build.link, build.elf, build.baud
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Where a build is, seen from the folder of the application, of the build, and inside of it.
_PLACES: Final = ("build/zephyr", "zephyr", ".")
_OPTION: Final = re.compile(r'^(CONFIG_\w+)=(?:"(.*)"|(.*))$', re.MULTILINE)
_CHOSEN: Final = re.compile(r"\btickertape,uart = &(\w+);")
_SPEED: Final = re.compile(r"\bcurrent-speed = < (0x[0-9a-f]+|\d+) >;")


@dataclass(frozen=True, slots=True)
class ZephyrBuild:
    """A build with the recorder in it.

    Attributes:
        elf: the image.
        options: of Kconfig, by name with CONFIG_ in front; strings without quotes.
        baud: rate of the chosen UART in the devicetree, None without one.
    """

    elf: Path
    options: Mapping[str, str]
    baud: int | None

    @property
    def link(self) -> str | None:
        """Where the trace is to be taken from, None where only the user can know."""
        if self.options.get("CONFIG_TICKERTAPE_LINK_UDP") == "y":
            return f"udp://0.0.0.0:{self.options['CONFIG_TICKERTAPE_UDP_PORT']}"
        if self.options.get("CONFIG_TICKERTAPE_LINK_SEMIHOSTING") == "y":
            return self.options["CONFIG_TICKERTAPE_FILE"]
        if self.options.get("CONFIG_TICKERTAPE_LINK_RTT") == "y":
            return f"rtt://localhost?channel={self.options['CONFIG_TICKERTAPE_RTT_CHANNEL']}"
        return None

    @property
    def stimulus(self) -> str | None:
        """The stimulus port that the trace goes to, None where it does not leave by SWO."""
        if self.options.get("CONFIG_TICKERTAPE_LINK_ITM") == "y":
            return self.options["CONFIG_TICKERTAPE_ITM_PORT"]
        return None


def find_build(folder: Path) -> ZephyrBuild | None:
    """Find the build that `folder` is part of, or has; None when there is none with the recorder.

    What cannot be read is not there.
    """
    for place in _PLACES:
        inside = folder / place
        with suppress(OSError):
            text = (inside / ".config").read_text(encoding="utf-8", errors="replace")
            options = {name: quoted or plain for name, quoted, plain in _OPTION.findall(text)}
            if options.get("CONFIG_TICKERTAPE") == "y" and (inside / "zephyr.elf").is_file():
                return ZephyrBuild(inside / "zephyr.elf", options, _baud(inside / "zephyr.dts"))
    return None


def _baud(devicetree: Path) -> int | None:
    """Read the rate of the chosen UART from a devicetree as Zephyr writes it."""
    try:
        text = devicetree.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    chosen = _CHOSEN.search(text)
    if chosen is None:
        return None
    begin = re.search(rf"^(\s*){chosen[1]}: .*\{{$", text, re.MULTILINE)
    if begin is None:
        return None
    node = text[begin.end() : text.find(f"\n{begin[1].lstrip(chr(10))}}};", begin.end())]
    speed = _SPEED.search(node)
    return None if speed is None else int(speed[1], 0)
