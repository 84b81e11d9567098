"""Let atheris search for inputs that reach new code: `python -m tools.fuzz.guided [--seconds S]`.

atheris (libFuzzer) mutates the same valid inputs as the other targets, but keeps inputs that reach
a new branch of a decoder. It runs in a process per decoder, because it never returns. Without
atheris (`pip install 'tickertape[fuzz]'`) this reports it and does nothing.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Check = Callable[[bytes], None]

ROOT = Path(__file__).resolve().parents[2]
_MEMORY = Path("/dev/shm")  # noqa: S108 - a file system in memory, if it exists
_RSS_MIB = 1024
_HANG_S = 20
_LEAST_S = 5.0
NAMES = ("frames", "bodies", "packed", "symbols", "boards", "tape", "kev", "btf", "itm")


def check_of(name: str, folder: Path) -> tuple[Check, Sequence[bytes]]:
    """Return the check of a decoder for any input, and valid inputs to start with."""
    # Imported here: atheris instruments imports to find the branches.
    from tools.fuzz.guided_checks import GuidedChecks  # noqa: PLC0415 - see above

    made = GuidedChecks(folder)
    inputs: dict[str, tuple[Check, Callable[[], Sequence[bytes]]]] = {
        "frames": (made.frames, lambda: made.pieces),
        "bodies": (made.bodies, lambda: made.frame_bodies),
        "packed": (made.packed, lambda: made.packed_bodies),
        "symbols": (made.symbols, lambda: made.symbol_bodies),
        "boards": (made.boards, lambda: made.board_bodies),
        "tape": (made.tape, lambda: made.tapes),
        "kev": (made.kev.check, lambda: [made.kev.original]),
        "btf": (made.btf.check, lambda: made.btf.originals),
        "itm": (made.itm.check, lambda: [made.itm.original]),
    }
    check, seeds = inputs[name]
    return check, seeds()


def fuzz(name: str, seconds: float) -> None:
    """Fuzz one decoder in this process; does not return."""
    atheris = importlib.import_module("atheris")
    folder = Path(tempfile.mkdtemp(dir=_MEMORY if _MEMORY.is_dir() else None))
    with atheris.instrument_imports(include=["tickertape"]):
        check, seeds = check_of(name, folder)
    inputs = folder / "inputs"
    inputs.mkdir()
    for number, seed in enumerate(seeds):
        (inputs / str(number)).write_bytes(seed)
    words = [
        sys.argv[0],
        f"-max_total_time={max(1, round(seconds))}",
        f"-rss_limit_mb={_RSS_MIB}",
        f"-timeout={_HANG_S}",
        "-print_final_stats=1",
        "-verbosity=0",
        f"-artifact_prefix={folder}/",
        f"-max_len={2 * max(map(len, seeds))}",
        str(inputs),
    ]
    atheris.Setup(words, check)
    atheris.Fuzz()


def run(name: str, seconds: float) -> tuple[int, str]:
    """Fuzz one decoder in its own process.

    Returns:
        The number of inputs, and the failure; empty for none.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tools.fuzz.guided", "--only", name, "--seconds", str(seconds)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r"stat::number_of_executed_units:\s+(\d+)", done.stderr)
    inputs = int(found[1]) if found else 0
    if done.returncode == 0 and inputs:
        return inputs, ""
    return inputs, f"{name}: exit code {done.returncode}\n{done.stderr[-4000:]}"


def main() -> int:
    """Fuzz all decoders, one after the other; return 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz.guided", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="in all (default: 60)")
    parser.add_argument("--only", choices=NAMES, help="only this one, in this process")
    arguments = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed, so nothing was guided: pip install 'tickertape[fuzz]'")
        return 0
    if arguments.only:
        fuzz(arguments.only, arguments.seconds)
        return 0
    failures = []
    total = 0
    for name in NAMES:
        inputs, failure = run(name, max(_LEAST_S, arguments.seconds / len(NAMES)))
        print(f"{name:<12} {inputs:>15,} guided inputs", flush=True)
        total += inputs
        failures += [failure] if failure else []
    print(f"{'total':<12} {total:>15,}")
    print("\n".join(failures) if failures else "nothing crashed, hung, grew or was invented")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
