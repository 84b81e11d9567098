"""Measure other tracers: record and send the events of first_tape.

barectf runs here, in its own environment, with options in its favour: the fields of each event are
as narrow as its values in the tape, and its packets are filled in the buffer from which the UART of
our drain sends, with the same interrupt handler. Its bytes have no CRC.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Final

from tools.bench import target, whole
from tools.bench.result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_BOARD: Final = "mps2-an385"
_PROGRAM: Final = "barectf_cost"
# barectf 3.1.2 requires a PyYAML that no longer builds; it works with the current one.
_BARECTF: Final = "barectf==3.1.2"
_NEEDS: Final = ("pyyaml>=6", "jinja2", "jsonschema<4", "termcolor", "setuptools")
_SITES: Final = "site_kind_"
_WIDTHS: Final = (8, 16, 32)
_CONFIGURATION: Final = """\
--- !<tag:barectf.org,2020/3/config>
trace:
  type:
    native-byte-order: little-endian
    clock-types:
      default: {frequency: 25000000, $c-type: uint32_t}
    data-stream-types:
      default:
        $is-default: true
        $default-clock-type-name: default
        $features:
          event-record:
            type-id-field-type: {class: unsigned-integer, size: 8, alignment: 8}
            timestamp-field-type: {class: unsigned-integer, size: 32, alignment: 8}
        event-record-types:
"""


def measure(folder: Path) -> list[Result]:
    """Measure barectf; its environment stays in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    buffers = whole.tape(folder)
    whole.write_header(folder / "tape_records.h", buffers)
    records = [
        words for one in buffers for words in one.records.view("<u4").reshape(-1, 4).tolist()
    ]
    generated = folder / "barectf"
    generated.mkdir(exist_ok=True)
    _generate(generated, _environment(folder / "barectf_environment"), records)
    program = target.build(
        folder,
        _PROGRAM,
        _BOARD,
        "TRACE_UART_RING_BYTES=4096 NDEBUG",
        extra=f"EXTRA_CFLAGS=-fhosted -isystem {generated}",
    )
    link = folder / "barectf.link"
    recording, interrupts, _, _ = whole.count(program, folder, _BOARD, (), link, sites=_SITES)
    how = (
        f"{len(records)} events of first_tape, {_BARECTF} with a lock, packets of 1 KiB, "
        f"QEMU {_BOARD}, -O2, one instruction at a time"
    )
    masked = sum(call.masked for call in target.calls_of(program, folder, (), _BOARD))
    per_event = (recording + interrupts) / len(records)
    return [
        Result("other_barectf_record", recording / len(records), f"record, send; {how}"),
        Result("other_barectf_per_event", per_event, f"and the UART's interrupts; {how}"),
        Result("other_barectf_masked", masked / len(records), how),
        Result("other_barectf_bytes", link.stat().st_size / len(records), how),
    ]


def _environment(folder: Path) -> Path:
    """Return the path of the command barectf; install it if missing."""
    command = folder / "bin/barectf"
    if not command.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(folder / "bin/pip"), "install", "-q"]
        subprocess.run([*pip, "--no-deps", _BARECTF], check=True)
        subprocess.run([*pip, *_NEEDS], check=True)
    return command


def _generate(folder: Path, command: Path, records: Sequence[Sequence[int]]) -> None:
    """Write the recorder of barectf, and a function per kind of event that records it."""
    kinds: dict[int, list[int]] = {}
    for header, _time, *words in records:
        widest = kinds.setdefault(header, [0, 0])
        widest[:] = map(max, widest, words)
    numbers = {header: number for number, header in enumerate(kinds)}
    types, sites = [], []
    for header, widest in kinds.items():
        fields = [(i, _width(value)) for i, value in enumerate(widest) if value]
        types.append(_event_type(numbers[header], fields))
        sites.append(_site(numbers[header], fields))
    configuration = folder / "config.yaml"
    configuration.write_text(_CONFIGURATION + "".join(types), encoding="utf-8")
    subprocess.run(
        [str(command), "generate", str(configuration)], cwd=folder, check=True, capture_output=True
    )
    table = ", ".join(f"site_kind_{number}" for number in numbers.values())
    order = ", ".join(str(numbers[header]) for header, *_ in records)
    (folder / "barectf_sites.h").write_text(
        "".join(sites)
        + f"static void (*const sites[])(const tt_record_t *) = {{{table}}};\n"
        + f"static const uint8_t record_sites[] = {{{order}}};\n",
        encoding="utf-8",
    )


def _width(value: int) -> int:
    return next(width for width in _WIDTHS if value < 1 << width)


def _event_type(number: int, fields: Sequence[tuple[int, int]]) -> str:
    lines = f"          kind_{number}:"
    if not fields:
        return f"{lines} {{}}\n"
    members = "".join(
        f"                - word{i}: {{field-type: "
        f"{{class: unsigned-integer, size: {width}, alignment: 8}}}}\n"
        for i, width in fields
    )
    return (
        f"{lines}\n            payload-field-type:\n              class: structure\n"
        f"              members:\n{members}"
    )


def _site(number: int, fields: Sequence[tuple[int, int]]) -> str:
    words = "".join(f", (uint{width}_t)record->data[{i}]" for i, width in fields)
    unused = "" if fields else "    (void)record;\n"
    return (
        f"SITE site_kind_{number}(const tt_record_t *record);\n"
        f"SITE site_kind_{number}(const tt_record_t *record)\n{{\n{unused}"
        f"    LOCKED(barectf_default_trace_kind_{number}(&stream{words}));\n}}\n"
    )
