"""Build the inputs of renode/robot: images, and reference tapes of the same programs in QEMU.

`python -m tools.renode_images [FOLDER]` writes FOLDER/PLATFORM/EXAMPLE.elf, FOLDER/reference and,
with ZEPHYR_BASE set, FOLDER/zephyr. The folder is build/renode unless given.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tickertape.collector import CaptureOptions, capture
from tickertape.targets import RenodeTarget, find_target
from tickertape.targets.base import Image

ROOT = Path(__file__).parents[1]
SUITE = (
    "first_tape",
    "philosophers",
    "priority_inversion",
    "messages",
    "domains",
    "storm",
    "stress",
)
EXAMPLES = {
    "mps2-an385": SUITE,
    "mps2-an386": ("first_tape",),
    "mps2-an521": ("first_tape",),
    "stm32f4": SUITE,
}
VECTORS = "conformance"  # a program of tests/firmware: it records the golden vectors
VECTORS_BOARDS = ("mps2-an385", "stm32f4")
REFERENCE_BOARD = "mps2-an385"
REFERENCES = {"first_tape": 2.0, VECTORS: None}  # seconds; None: the program ends by itself
ZEPHYR_BOARD = "mps2_an385"
ZEPHYR_SAMPLES = ("hello_tape", "philosophers")


def build(folder: Path) -> None:
    """Build the images, each in the folder of its platform."""
    for platform, examples in EXAMPLES.items():
        (folder / platform).mkdir(parents=True, exist_ok=True)
        for example in examples:
            image = RenodeTarget(platform).build(example)
            shutil.copy2(image.path, folder / platform / f"{example}.elf")
            print(f"{platform}/{example}.elf", flush=True)


def build_vectors(folder: Path) -> None:
    """Build the program that records the golden vectors."""
    tests = ROOT / "tests"
    words = [f"EXAMPLE={VECTORS}", f"SOURCE_DIR={tests / 'firmware' / VECTORS}"]
    words.append(f"INCLUDE_DIRS={tests / 'protocol'}")
    for board in VECTORS_BOARDS:
        command = ["make", "-s", "-C", str(ROOT / "firmware"), f"BOARD={board}", *words]
        subprocess.run(command, check=True)
        shutil.copy2(ROOT / f"build/firmware/{board}/{VECTORS}.elf", folder / board)
        print(f"{board}/{VECTORS}.elf", flush=True)


def record_references(folder: Path) -> None:
    """Run the reference programs in QEMU and store their tapes."""
    (folder / "reference").mkdir(parents=True, exist_ok=True)
    target = find_target(f"qemu:{REFERENCE_BOARD}")
    for program, duration_s in REFERENCES.items():
        tape = folder / "reference" / f"{program}.tape"
        path = folder / REFERENCE_BOARD / f"{program}.elf"
        with target.start(Image(program, REFERENCE_BOARD, path), duration_s=duration_s) as run:
            capture(run.link, tape, CaptureOptions())
            run.finish()
        print(tape.relative_to(folder), flush=True)


def build_zephyr(folder: Path) -> None:
    """Build the samples of the Zephyr module against the tree in ZEPHYR_BASE."""
    modules = os.environ.get("ZEPHYR_MODULES")
    (folder / "zephyr").mkdir(parents=True, exist_ok=True)
    for sample in ZEPHYR_SAMPLES:
        source = ROOT / "firmware/ports/zephyr/samples" / sample
        work = folder / "zephyr" / f"{sample}.build"
        words = [f"-DBOARD={ZEPHYR_BOARD}", *([f"-DZEPHYR_MODULES={modules}"] if modules else [])]
        subprocess.run(["cmake", "-GNinja", "-S", source, "-B", work, *words], check=True)
        subprocess.run(["ninja", "-C", work], check=True)
        shutil.copy2(work / "zephyr/zephyr.elf", folder / "zephyr" / f"{sample}.elf")
        print(f"zephyr/{sample}.elf", flush=True)


def main() -> None:
    """Build all images and tapes; those for Zephyr only with ZEPHYR_BASE."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/renode"
    build(folder)
    build_vectors(folder)
    record_references(folder)
    if os.environ.get("ZEPHYR_BASE"):
        build_zephyr(folder)
    else:
        print("no Zephyr images: ZEPHYR_BASE is not set", flush=True)


if __name__ == "__main__":
    main()
