"""Examples that `tickertape COMMAND --help` shows, by command; a test parses each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "demo": ("demo --target native",),
    "targets": ("targets",),
    "run": (
        "run --target qemu -o T.tape --duration 2",
        "run --target native --example philosophers -o T.tape --symbols",
        "run --target native --and qemu --example messages -o T.tape",
        "run --target board:stm32f4_discovery --duration 10 -o T.tape",
    ),
    "flash": (
        "flash --board stm32f4_discovery firmware.elf",
        "flash --board microbit firmware.elf --probe 9900000 --tool openocd --erase",
    ),
    "hil": ("hil run suite.yaml --junit verdicts.xml --html report.html",),
    "capture": (
        "capture /dev/ttyACM0 -o T.tape --baud 921600",
        "capture socket://localhost:4000 -o T.tape --duration 10",
        "capture swo:/dev/ttyUSB0?baud=2000000 -o T.tape --raw swo.bin",
    ),
    "doctor": (
        "doctor /dev/ttyACM0?baud=921600 --elf firmware.elf",
        "doctor swo:/dev/ttyUSB0?baud=2000000",
        "doctor link.raw --baud 115200 --json",
    ),
    "serve": ("serve /dev/ttyACM0 -o T.tape", "serve --target qemu --realtime -o T.tape"),
    "control": (
        "control unix:/tmp/board.sock status",
        "control unix:/tmp/board.sock del-class INT",
        'control unix:/tmp/board.sock insert 7 "door opened"',
    ),
    "print": (
        "print T.tape --class SCHED --task control -n 40",
        "print T.tape --from 100ms --to 120ms --elf firmware.elf",
        "print --follow /dev/ttyACM0",
    ),
    "info": ("info T.tape", "info T.tape --json --verify"),
    "why": ("why T.tape --task control", "why T.tape --task control --at 1.42 --svg why.svg"),
    "view": (
        "view T.tape",
        "view T.tape --no-open --port 8000",
        "view A.tape B.tape",
        "view --live socket://localhost:4000 -o T.tape",
        "view --perfetto T.tape",
    ),
    "top": ("top /dev/ttyACM0", "top unix:/tmp/board.sock --period 0.5", "top T.tape --speed 4"),
    "plot": (
        "plot T.tape -o T.svg",
        "plot T.tape --what gantt --from 100ms --to 108ms -o T.pdf",
        "plot T.tape --what load -o load.png",
    ),
    "check": (
        "check T.tape --spec timing.yaml",
        "check T.tape --spec timing.yaml --junit verdicts.xml",
    ),
    "diff": ("diff before.tape after.tape", "diff A.tape B.tape --fail-on-regression 5%"),
    "bisect": (
        "bisect --good v1.0 --run 'make && tickertape run --target qemu -o {tape}' --spec t.yaml",
    ),
    "plan": ("plan T.tape --link uart:921600", "plan T.tape --link swo:2000000 --no-loss"),
    "findings": ("findings T.tape", "findings T.tape --limit 20ms --json"),
    "spec": ("spec init T.tape -o timing.yaml", "spec explain timing.yaml"),
    "stats": ("stats T.tape", "stats T.tape --from 1.25 --to 1.5 --json"),
    "profile": (
        "profile T.tape --elf firmware.elf",
        "profile T.tape --elf firmware.elf --speedscope",
    ),
    "recover": (
        "recover core.elf --elf firmware.elf -o T.tape",
        "recover ram.bin --base 0x20000000 --elf firmware.elf -o T.tape",
        "recover ram.hex --elf firmware.elf -o T.tape",
    ),
    "repair": ("repair damaged.tape -o T.tape",),
    "merge": ("merge left.tape right.tape -o both.tape",),
    "cut": ("cut T.tape --from 1.25 --to 1.5 -o part.tape",),
    "note": ('note T.tape "motor blocked at 12 s"',),
    "import": ("import kev trace.kev -o T.tape",),
    "export": (
        "export perfetto T.tape -o T.pftrace",
        "export parquet T.tape -o dataset",
    ),
    "udpdump": ("udpdump udp://0.0.0.0:20000 -o records",),
    "btf": ("btf check T.btf --strict",),
    "ktrace": ("ktrace T.tape -o T.tra",),
    "fleet": ("fleet stats tapes", "fleet export tapes -o dataset"),
    "symbols": ("symbols firmware.elf -o firmware.map",),
    "build": ("build --target qemu --example domains",),
}


def epilog_of(command: str) -> str | None:
    """Return the examples of a command as text for its help; None without examples."""
    lines = EXAMPLES.get(command, ())
    return "\n".join(["examples:", *(f"  tickertape {line}" for line in lines)]) if lines else None
