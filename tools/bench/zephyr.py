"""Measure the cost of the Zephyr module, and of Zephyr's own CTF and user hooks, in one run.

Needs ZEPHYR_BASE and the tools of a Zephyr build; without ZEPHYR_BASE nothing is measured.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path
from typing import Final

from tools.bench.result import Result

_ROOT: Final = Path(__file__).resolve().parents[2]
_PROGRAM: Final = _ROOT / "tests/zephyr/apps/cost"
_BOARD: Final = "mps2_an385"
_RUN_S: Final = 120
_BUILD_S: Final = 600
_LOOK_S: Final = 0.2

_OFF: Final = "-DCONFIG_TICKERTAPE=n"
_REGISTER: Final = "-DCONFIG_TICKERTAPE_CLOCK_REGISTER=y"
_CTF_BYTES: Final = 1 << 20
_CTF: Final = (_OFF, "-DCONFIG_TRACING=y", "-DCONFIG_TRACING_CTF=y", "-DCONFIG_TRACING_SYNC=y")
# The UART of Zephyr's own backend: the second UART of the board.
_UART: Final = """\
/ { chosen { zephyr,tracing-uart = &uart1; }; };
&uart1 { status = "okay"; current-speed = <115200>; };
"""
_BUILDS: Final = {
    "without": (_OFF,),
    "tickertape": (_REGISTER,),
    # The default hooks of the format "user": empty, for an application to replace.
    "user": (_OFF, "-DCONFIG_TRACING=y", "-DCONFIG_TRACING_USER=y"),
    # Into memory that never becomes full, because a full one is cheaper. Nothing is sent.
    "ctf": (
        *(*_CTF, "-DCONFIG_TRACING_BACKEND_RAM=y"),
        f"-DCONFIG_RAM_TRACING_BUFFER_SIZE={_CTF_BYTES}",
    ),
    # The emulated UART accepts each byte at once: the waiting time of a real one is not included.
    "ctf_sent": (*_CTF, "-DCONFIG_TRACING_BACKEND_UART=y"),
}
# The program has large rings, so that it loses nothing; the growth of the image is measured with
# the default rings.
_SIZED: Final = {
    "tickertape": (_REGISTER, "-DCONFIG_TICKERTAPE_BUFFERS=8"),
    "small": (_REGISTER, "-DCONFIG_TICKERTAPE_BUFFERS=4", "-DCONFIG_TICKERTAPE_SMALL=y"),
}
_OPERATIONS: Final = {"switch by yield": "yield", "give": "give", "unlock": "unlock"}
_LINE: Final = re.compile(r"^(\w+): (give \d+, .*)$", re.MULTILINE)
_COST: Final = re.compile(r"([a-z ]*[a-z]) (\d+)")
_SIZES: Final = re.compile(r"^ *(\d+)\s+(\d+)\s+(\d+)", re.MULTILINE)


def measure(folder: Path) -> list[Result]:
    """Build the program below `folder` with each tracer and run it, if ZEPHYR_BASE is set."""
    if not os.environ.get("ZEPHYR_BASE"):
        return []
    how = f"QEMU {_BOARD}, built for size; a single call, the least of 50"
    results, sizes = [], {}
    folder.mkdir(parents=True, exist_ok=True)
    overlay = folder / "tracing_uart.overlay"
    overlay.write_text(_UART, encoding="utf-8")
    for name, options in _BUILDS.items():
        chosen = (f"-DDTC_OVERLAY_FILE={overlay}",) if name == "ctf_sent" else ()
        image = _built(folder / f"zephyr-{name}", (*options, *chosen))
        sizes[name] = _rom_and_ram(image)
        for mode, costs in _costs(image):
            state = mode if name in {"tickertape", "without"} else name
            results += [
                Result(f"zephyr_{key}_{state}", costs[operation], how)
                for operation, key in _OPERATIONS.items()
            ]
    for name, options in _SIZED.items():
        sizes[name] = _rom_and_ram(_built(folder / f"zephyr-sized-{name}", options))
    rom, ram = sizes["ctf"]
    sizes["ctf"] = rom, ram - _CTF_BYTES
    for name in ("tickertape", "small", "user", "ctf"):
        added = (more - less for more, less in zip(sizes[name], sizes["without"], strict=True))
        results += [
            Result(f"zephyr_{kind}_bytes_{name}", size, "size of the image, less that without")
            for kind, size in zip(("rom", "ram"), added, strict=True)
        ]
    return results


def _built(folder: Path, options: tuple[str, ...]) -> Path:
    modules = os.environ.get("ZEPHYR_MODULES")
    words = [f"-DBOARD={_BOARD}", *([f"-DZEPHYR_MODULES={modules}"] if modules else []), *options]
    for command in (
        ["cmake", "-GNinja", "-S", str(_PROGRAM), "-B", str(folder), *words],
        ["ninja", "-C", str(folder)],
    ):
        subprocess.run(command, check=True, capture_output=True, timeout=_BUILD_S)
    return folder / "zephyr/zephyr.elf"


def _rom_and_ram(image: Path) -> tuple[int, int]:
    """Return the bytes of flash and of RAM of an image; initialised data counts in both."""
    done = subprocess.run(
        ["arm-none-eabi-size", str(image)], check=True, capture_output=True, text=True
    )
    text, data, bss = map(int, _SIZES.findall(done.stdout)[0])
    return text + data, data + bss


def _costs(image: Path) -> list[tuple[str, dict[str, int]]]:
    """Run the program to its end; return the instructions per call in each of its states."""
    console = image.parents[1] / "console.txt"
    console.unlink(missing_ok=True)
    command = ["qemu-system-arm", "-M", "mps2-an385", "-kernel", str(image), "-display", "none"]
    command += ["-monitor", "none", "-icount", "shift=5,sleep=off"]
    command += ["-serial", f"file:{console}", "-serial", "null"]
    deadline = time.monotonic() + _RUN_S
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as process:
        try:
            while not console.exists() or "done" not in console.read_text():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise TimeoutError(f"{image} does not end; {console} has what it printed")
                time.sleep(_LOOK_S)
        finally:
            process.kill()
    return [
        (mode, {name.strip(): int(cost) for name, cost in _COST.findall(line)})
        for mode, line in _LINE.findall(console.read_text())
    ]
