"""Measure the host: decode rate, memory, text. Each in its own process, on one core.

Rates are per second of processor time, user and system together, which a busy machine affects
less. If babeltrace2 is installed, whole commands are compared with it over the same events.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Final

from tickertape._native.engine import VARIABLE
from tickertape.decode.stimulus import StimulusPort
from tickertape.formats.ctf.write import export_ctf
from tickertape.formats.source import Source
from tickertape.model.boot import Boots
from tickertape.model.hardware import HardwareLevel
from tickertape.printing.compiled_text import text_exporter
from tickertape.tape import TapeReader, iter_events
from tools.bench.mix import switches, write_tape
from tools.bench.result import Result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_RECORDS: Final = 8_000_000
_RUNS: Final = 3
_COMPARED_RECORDS: Final = 4_000_000
_PAIRS: Final = 5
_SWO_PACKETS: Final = 100_000
_SWO_READ: Final = 1 << 16
_MIB: Final = 1 << 20
_KIB: Final = 1 << 10
# Of this process alone; ru_maxrss starts with the memory of the parent.
_PEAK: Final = re.compile(r"VmHWM:\s+(\d+) kB")
_NUMPY: Final = {VARIABLE: "0"}


def measure(folder: Path) -> list[Result]:
    """Measure with a temporary tape in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    tape = folder / "mix.tape"
    records = write_tape(tape, _RECORDS)
    size = tape.stat().st_size / _MIB
    how = (
        f"{records} records in {size:.0f} MiB, 44 % of them in combine events, the file in the "
        f"page cache, best of {_RUNS} runs, one core, processor time"
    )
    decode, peak = _best("decode", tape, {})
    numpy_decode, numpy_decode_peak = _best("decode", tape, _NUMPY)
    text, text_peak = _best("text", tape, {})
    nowhere, _ = _best("nowhere", tape, {})
    results = [
        Result("decode_records_per_s", decode, f"compiled part where it is built; {how}"),
        Result("decode_numpy_records_per_s", numpy_decode, f"{VARIABLE}=0; {how}"),
        Result(
            "decode_peak_mib",
            max(peak, numpy_decode_peak, text_peak),
            f"VmHWM, the greatest of printing and of decoding with and without {VARIABLE}=0; {how}",
        ),
        Result("print_events_per_s", text, f"decoding included, into a file; {how}"),
        Result("print_nowhere_events_per_s", nowhere, f"the same into {os.devnull}; {how}"),
        *_against_babeltrace2(folder),
        *_swo(),
    ]
    tape.unlink()
    return results


def _swo() -> list[Result]:
    """Measure the decoding of the bytes of an SWO pin, which precedes the decoding of frames."""
    stamp = b"\xc0\xac\x02"
    numbers = range(_SWO_PACKETS)
    frames = b"".join(b"\x0b" + number.to_bytes(4, "little") + stamp for number in numbers)
    writes = b"".join(
        b"\x47\x01\x00\x00\x08\x8f" + number.to_bytes(4, "little") + stamp for number in numbers
    )
    how = f"{_SWO_PACKETS} of them, a time stamp after each, best of {_RUNS}, processor time"
    return [
        Result("swo_port_bytes_per_s", _swo_rate(frames), f"words of the port; {how}"),
        Result("swo_data_bytes_per_s", _swo_rate(writes), f"writes with their code; {how}"),
    ]


def _swo_rate(data: bytes) -> float:
    best = 0.0
    for _ in range(_RUNS):
        began = time.process_time()
        port, level = StimulusPort(1, keeps_packets=True), HardwareLevel()
        for place in range(0, len(data), _SWO_READ):
            port.receive(data[place : place + _SWO_READ])
            for packet in port.packets:
                level.take(packet)
            port.packets, level.rows = [], []
        best = max(best, len(data) / (time.process_time() - began))
    return best


def _against_babeltrace2(folder: Path) -> list[Result]:
    """Compare whole commands over the same events; no results if babeltrace2 is not installed.

    The commands of a pair run one after the other, and the ratio is the median of all pairs.
    """
    if shutil.which("babeltrace2") is None:
        return []
    results = []
    for shape, period in (("", switches()), ("mix_", None)):
        tape, trace = folder / "compared.tape", folder / "ctf"
        write_tape(tape, _COMPARED_RECORDS, period)
        with TapeReader(tape) as reader:
            events = export_ctf(Source(reader), trace).counts["events"]
        ours = [sys.executable, "-m", "tickertape"]
        theirs = ["babeltrace2", str(trace)]
        decode, dummy = _pairs(
            [*ours, "info", "--verify", str(tape)], [*theirs, "--output-format=dummy"]
        )
        text, lines = _pairs([*ours, "print", str(tape)], theirs)
        shutil.rmtree(trace)
        tape.unlink()
        same = f"whole commands, {events} events, processor time, median of {_PAIRS} pairs"
        results += [
            Result(f"decode_{shape}vs_babeltrace2", decode, f"`info --verify`; {same}"),
            Result(f"print_{shape}vs_babeltrace2", text, f"`print` into a file; {same}"),
            Result(
                f"babeltrace2_{shape}decode_events_per_s", events / dummy, f"dummy sink; {same}"
            ),
            Result(f"babeltrace2_{shape}print_events_per_s", events / lines, f"text; {same}"),
        ]
    return results


def _pairs(ours: Sequence[str], theirs: Sequence[str]) -> tuple[float, float]:
    """Return the median of (their seconds / our seconds), and of their seconds."""
    pairs = [(_processor_seconds(ours), _processor_seconds(theirs)) for _ in range(_PAIRS)]
    return median(their / our for our, their in pairs), median(their for _, their in pairs)


def _processor_seconds(line: Sequence[str]) -> float:
    """Run a command with its output in a temporary file; return its processor time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with TemporaryFile() as out:
        subprocess.run(line, check=True, stdout=out)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _best(what: str, tape: Path, more: Mapping[str, str]) -> tuple[float, float]:
    """Measure `_RUNS` times; return the best rate and the peak MiB of that run."""
    return max((_child(what, tape, more) for _ in range(_RUNS)), key=lambda run: run[0])


def _child(what: str, tape: Path, more: Mapping[str, str]) -> tuple[float, float]:
    """Run one measurement in a new process; return (rate per second, peak MiB)."""
    command = [sys.executable, "-m", "tools.bench.host", what, str(tape)]
    environment = {**os.environ, **more}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    rate, peak = json.loads(done.stdout)
    return rate, peak


def _decode(reader: TapeReader) -> float:
    started = time.process_time()
    events = sum(len(columns) for columns in iter_events(reader))
    seconds = time.process_time() - started
    if not events:
        raise AssertionError
    return reader.record_count / seconds


def _text(reader: TapeReader) -> float:
    written = reader.path.with_suffix(".txt")
    rate = _text_into(reader, written)
    written.unlink()
    return rate


def _nowhere(reader: TapeReader) -> float:
    return _text_into(reader, Path(os.devnull))


def _text_into(reader: TapeReader, written: Path) -> float:
    boots = Boots(reader)
    exporter = text_exporter(boots)
    events = 0
    started = time.process_time()
    with written.open("wb", buffering=0) as out:
        for columns in iter_events(reader):
            events += len(columns)
            for block in exporter.blocks(columns):
                out.write(block)
    return events / (time.process_time() - started)


def main() -> None:
    """Measure one rate in this process and print [rate, peak MiB] as JSON."""
    what, tape = sys.argv[1:]
    with TapeReader(tape) as reader:
        rate = {"decode": _decode, "text": _text, "nowhere": _nowhere}[what](reader)
    print(json.dumps([rate, own_peak_mib()]))


def own_peak_mib() -> float:
    """Return the peak memory of this process, in MiB."""
    peak = _PEAK.search(Path("/proc/self/status").read_text(encoding="ascii"))
    if peak is None:
        raise AssertionError
    return int(peak[1]) * _KIB / _MIB


if __name__ == "__main__":
    main()
