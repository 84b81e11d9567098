"""Read settings from a build folder of Zephyr: the ELF file and the link of the trace.

build = find_build(Path.cwd())
if build is not None:
    link, elf, baud = build.link, build.elf, build.baud
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

# Build folders in the folder of the application, besides `build`: west's `build.dir-fmt`, and names
# by board.
_MORE: Final = ("build_*", "build-*", "build/*")
_OPTION: Final = re.compile(r'^(CONFIG_\w+)=(?:"(.*)"|(.*))$', re.MULTILINE)
_CHOSEN: Final = re.compile(r"\btickertape,uart = &(\w+);")
_SPEED: Final = re.compile(r"\bcurrent-speed = < (0x[0-9a-f]+|\d+) >;")
# sysbuild writes domains.yaml: the name of each image, and the name of the default image.
_DEFAULT: Final = re.compile(r"^default: *(\S+)", re.MULTILINE)
_DOMAIN: Final = re.compile(r"^ *- name: *(\S+)\n *build_dir: *(.+?) *$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ZephyrBuild:
    """A Zephyr build that includes the recorder.

    Attributes:
        elf: path of the image.
        options: Kconfig options by name, with CONFIG_ in front; strings without quotes.
        baud: rate of the chosen UART in the devicetree; None without one.
        uart: label of the chosen UART in the devicetree; None without one.
    """

    elf: Path
    options: Mapping[str, str]
    baud: int | None
    uart: str | None = None

    @property
    def folder(self) -> Path:
        """The build folder, which contains the files of CMake."""
        return self.elf.parent.parent

    @property
    def is_emulated(self) -> bool:
        """True for a QEMU board."""
        return self.options.get("CONFIG_QEMU_TARGET") == "y"

    @property
    def file(self) -> str | None:
        """File that the target writes the trace to by semihosting; None if it uses another link."""
        if self.options.get("CONFIG_TICKERTAPE_LINK_SEMIHOSTING") == "y":
            return self.options["CONFIG_TICKERTAPE_FILE"]
        return None

    @property
    def link(self) -> str | None:
        """Link or file to read the trace from; None if the build does not determine it."""
        if self.options.get("CONFIG_TICKERTAPE_LINK_UDP") == "y":
            return f"udp://0.0.0.0:{self.options['CONFIG_TICKERTAPE_UDP_PORT']}"
        if self.options.get("CONFIG_TICKERTAPE_LINK_RTT") == "y":
            return f"rtt://localhost?channel={self.options['CONFIG_TICKERTAPE_RTT_CHANNEL']}"
        return self.file

    @property
    def stimulus(self) -> str | None:
        """Stimulus port of the trace; None if the trace does not use SWO."""
        if self.options.get("CONFIG_TICKERTAPE_LINK_ITM") == "y":
            return self.options["CONFIG_TICKERTAPE_ITM_PORT"]
        return None


def find_build(folder: Path) -> ZephyrBuild | None:
    """Return the build of `folder`, see `find_builds`; None if there is none with the recorder.

    Raises:
        UsageError: there are several builds.
    """
    builds = find_builds(folder)
    if len(builds) > 1:
        names = ", ".join(str(build.folder) for build in builds)
        raise UsageError(
            f"there are several builds of Zephyr with tickertape here: {names}",
            "change to the folder of the one that you mean",
        )
    return builds[0] if builds else None


def find_builds(folder: Path) -> list[ZephyrBuild]:
    """Return the builds of `folder` that include the recorder.

    A build in `folder/build`, in `folder` or around it is the only result. Without such a build,
    the result is all builds in other build folders of `folder`. Unreadable builds are left out.
    """
    inside = [folder.parent] if folder.name == "zephyr" else []
    for place in (folder / "build", folder, *inside):
        build = _build_at(place)
        if build is not None:
            return [build]
    places = sorted(path for pattern in _MORE for path in folder.glob(pattern))
    return [build for place in places if (build := _build_at(place)) is not None]


def _build_at(folder: Path) -> ZephyrBuild | None:
    """Return the build in a build folder; with several images the default one, else the first."""
    for image in (folder, *_domains(folder)):
        inside = image / "zephyr"
        with suppress(OSError):
            text = (inside / ".config").read_text(encoding="utf-8", errors="replace")
            options = {name: quoted or plain for name, quoted, plain in _OPTION.findall(text)}
            if options.get("CONFIG_TICKERTAPE") == "y" and (inside / "zephyr.elf").is_file():
                return ZephyrBuild(inside / "zephyr.elf", options, *_uart(inside / "zephyr.dts"))
    return None


def _domains(folder: Path) -> Iterator[Path]:
    """Yield the image folders of a build with sysbuild, the default image first.

    The paths in domains.yaml are absolute. If the build was moved, the folder named after the image
    is used instead.
    """
    try:
        text = (folder / "domains.yaml").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    default = _DEFAULT.search(text)
    domains = [(name.strip("\"'"), path.strip("\"'")) for name, path in _DOMAIN.findall(text)]
    first = default[1].strip("\"'") if default else ""
    for name, path in sorted(domains, key=lambda domain: domain[0] != first):
        here = folder / name
        yield here if here.is_dir() else folder / path


def _uart(devicetree: Path) -> tuple[int | None, str | None]:
    """Return rate and label of the chosen UART from a devicetree that Zephyr generated."""
    try:
        text = devicetree.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None, None
    chosen = _CHOSEN.search(text)
    if chosen is None:
        return None, None
    begin = re.search(rf"^(\s*){chosen[1]}: .*\{{$", text, re.MULTILINE)
    if begin is None:
        return None, chosen[1]
    node = text[begin.end() : text.find(f"\n{begin[1].lstrip(chr(10))}}};", begin.end())]
    speed = _SPEED.search(node)
    return (None if speed is None else int(speed[1], 0)), chosen[1]
