"""Sources and options of each libFuzzer target, and its build."""

from __future__ import annotations

import json
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.formats.btf.compiled_lines import WORDS
from tickertape.model.compiled_system import MACHINES
from tickertape.model.entities import Entities
from tickertape.model.follower import Follower
from tickertape.model.running_evidence import EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT: Final = Path(__file__).resolve().parents[2]
_FUZZ: Final = ROOT / "tests/fuzz"
_NATIVE: Final = ROOT / "host/src/tickertape/_native"
_LIBRARY: Final = ROOT / "host/library"
_CORE: Final = ROOT / "firmware/core"
_POSIX: Final = ROOT / "host/posix"
_FACADE: Final = ROOT / "firmware/facades/posix"
_PLAIN: Final = ROOT / "tests/firmware/core/plain"
_PORT: Final = ROOT / "tests/firmware/core/port"
_FLAGS: Final = (
    *("-std=gnu11", "-g", "-O2", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-pthread"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"),
)
# In the compiled part of the host; tests/fuzz/fuzz.h has the reason.
_MEMORY: Final = [f"-D{name}=fuzz_{name}" for name in ("calloc", "realloc", "free")]
_JOBS: Final = 2
_ASSEMBLER: Final = "assemble columns open_events"
_MODEL: Final = f"{_ASSEMBLER} system* map"


@dataclass(frozen=True)
class Target:
    """A libFuzzer target; its own source is tests/fuzz/fuzz_NAME.c.

    Attributes:
        sources: fuzzed sources, and others that the target needs.
        includes: folders of headers.
        options: options of the compiler.
        linked: options of the linker.
        max_bytes: maximum size of an input.
        traced: whether libFuzzer traces comparisons.
    """

    sources: Sequence[Path]
    includes: Sequence[Path]
    options: Sequence[str] = ()
    linked: Sequence[str] = ()
    max_bytes: int = 256
    traced: bool = False


def _native(*helpers: str, of: str) -> Target:
    """Make a target from sources of the host's compiled part; `of` has their names or patterns."""
    names = [path for name in of.split() for path in sorted(_NATIVE.glob(f"{name}.c"))]
    return Target([*names, *(_FUZZ / f"{name}.c" for name in helpers)], [_NATIVE], max_bytes=256)


def _without(folder: Path, *names: str) -> list[Path]:
    return [path for path in sorted(folder.glob("*.c")) if path.name not in names]


_FIRMWARE: Final = (ROOT / "firmware/include", _CORE)
TARGETS: Final = {
    "command": Target(
        [*_without(_CORE), _PLAIN / "plain_port.c"],
        [*_FIRMWARE, _PORT, _PLAIN],
        [
            *("-DTT_CONFIG_STREAMS=2", "-DTT_CONFIG_BUFFERS=4", "-DTT_CONFIG_BUFFER_RECORDS=16"),
            *("-DTT_CONFIG_FINALIZE=1", "-DTT_CONFIG_EVENT_MASKS=3"),
            *("-DTT_CONFIG_DEFINITIONS=8", "-DTT_CONFIG_DEFINITION_NAME_BYTES=16"),
        ],
    ),
    "ipv4": Target(
        [
            ROOT / "firmware/links" / name
            for name in ("ipv4.c", "udp_link.c", "ring_link.c", "byte_ring.c")
        ],
        [*_FIRMWARE, _PORT, ROOT / "firmware/links"],
        traced=True,
    ),
    "posix_log": Target(
        [
            *_without(_CORE),
            *_without(_FACADE),
            *_without(_POSIX, "linux_files.c", "linux_begin.c"),
            _FUZZ / "mend.c",
        ],
        [*_FIRMWARE, _POSIX, _FACADE],
        ['-DTT_CONFIG_FILE="posix_config.h"'],
        max_bytes=2560,
        traced=True,
    ),
    "broker": Target(
        [*sorted(_POSIX.glob("broker_*.c")), _CORE / "crc.c"],
        [_POSIX, *_FIRMWARE],
        linked=[
            f"-Wl,--wrap={name}"
            for name in ("socket", "connect", "close", "poll", "send", "recv", "getpid")
        ],
        max_bytes=512,
    ),
    "tape": Target(
        [
            *_without(_LIBRARY),
            *(_NATIVE / f"{name}.c" for name in (*_ASSEMBLER.split(), "crc32", "map")),
            *(_CORE / "crc.c", _FUZZ / "mend.c"),
        ],
        [_LIBRARY, _NATIVE, *_FIRMWARE],
        max_bytes=2560,
    ),
    "assemble": _native("events", of=_ASSEMBLER),
    "crc32": _native(of="crc32"),
    "packets": _native(of="packets"),
    "running": _native(of="running"),
    "text": _native("events", of=f"{_ASSEMBLER} text*"),
    "system": _native("events", "model", of=_MODEL),
    "btf": _native("events", "model", of=f"{_MODEL} btf*"),
    "timeline": _native("events", "model", of=f"{_MODEL} timeline"),
}


@cache
def compiler() -> str:
    """Return the path of clang.

    Raises:
        FileNotFoundError: clang is not installed; the message has the remedy.
    """
    for name in ("clang", *(f"clang-{version}" for version in range(30, 13, -1))):
        if found := shutil.which(name):
            return found
    raise FileNotFoundError("no clang; type: apt-get install clang libclang-rt-dev")


def rules() -> str:
    """Return the rules that Python passes to the compiled model, as C (fuzz_rules.h)."""
    handlers = {code: take.__name__ for code, take in Follower(Entities()).handlers.items()}
    moves = [
        f"{{{int(machine)}, {int(before)}, {int(action)}, {int(after)}}},"
        for machine, table in MACHINES.items()
        for (before, action), after in table.items()
    ]
    words = [
        f"{{{int(table)}, {int(place)}, {json.dumps(word)}}},"
        for table, found in WORDS.items()
        for place, word in found.items()
    ]
    return "\n".join(
        [
            "typedef struct fuzz_handler { uint32_t code; const char *name; } fuzz_handler_t;",
            "__attribute__((unused)) static const fuzz_handler_t fuzz_handlers[] = {",
            *(f'{{{int(code)}, "{name}"}},' for code, name in handlers.items()),
            "};",
            "__attribute__((unused)) static const uint8_t fuzz_moves[][4] = {",
            *moves,
            "};",
            "__attribute__((unused)) static const int32_t fuzz_evidence[][2] = {",
            *(f"{{{code}, {word}}}," for code, word in EVIDENCE.items()),
            "};",
            "typedef struct fuzz_word { uint32_t table, place; const char *text; } fuzz_word_t;",
            "__attribute__((unused)) static const fuzz_word_t fuzz_words[] = {",
            *words,
            "};",
            "",
        ]
    )


def build(name: str, folder: Path) -> Path:
    """Build a target in a folder; return the path of the program."""
    target = TARGETS[name]
    objects = folder / f"{name}.objects"
    objects.mkdir(parents=True, exist_ok=True)
    (objects / "fuzz_rules.h").write_text(rules())
    own = [_FUZZ / f"fuzz_{name}.c", _FUZZ / "fuzz.c"]
    coverage = ["-fsanitize=fuzzer-no-link"]
    coverage += [] if target.traced else ["-fno-sanitize-coverage=trace-cmp"]
    flags = [*_FLAGS, *target.options]
    flags += [f"-I{place}" for place in (_FUZZ, objects, *target.includes)]

    def compile_one(source: Path) -> Path:
        made = objects / f"{source.parent.name}_{source.stem}.o"
        # Only branches of the fuzzed code count, not those of the code that makes inputs.
        options = coverage if source.parent != _FUZZ else []
        options = [*options, *_MEMORY] if source.parent in {_NATIVE, _LIBRARY} else options
        line = [compiler(), *flags, *options, "-c", str(source), "-o", str(made)]
        subprocess.run(line, check=True)
        return made

    with ThreadPoolExecutor(_JOBS) as pool:
        made = list(pool.map(compile_one, [*own, *target.sources]))
    program = folder / f"fuzz_{name}"
    line = [compiler(), *_FLAGS, "-fsanitize=fuzzer", *map(str, made), *target.linked]
    subprocess.run([*line, "-o", str(program)], check=True)
    shutil.rmtree(objects)
    return program
