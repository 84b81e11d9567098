"""Measure the target: instructions per event, bytes of code, bytes on the wire.

Instructions are counted, not timed: QEMU executes the bench programs one instruction at a time and
logs each one. The cost of a call is the number of instructions from the first one of a `site_...`
function to its return, call site included. Masked instructions are those between `cpsid i` and the
write to PRIMASK.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.bench import standard_mix
from tools.bench.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
_BOARD: Final = "mps2-an386"
_M33: Final = "mps2-an521"
_TRACE_LINE: Final = re.compile(r"^Trace .*\[[0-9a-f]+/([0-9a-f]+)/.*\] (\S*)$")
_BUFFER_RECORDS: Final = 128
_COUNTED_BUFFERS: Final = 12


@dataclass(frozen=True)
class Call:
    """One call of a site: executed instructions, in all, masked, and by function."""

    site: str
    instructions: int
    masked: int
    by_function: Counter[str]


def measure(folder: Path) -> list[Result]:
    """Build the bench programs below `folder` and measure them."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        *_emit(folder),
        *_event_masks(folder),
        *_switching(folder),
        *_domains(folder),
        *_code_size(folder),
        *_packing(folder),
    ]


def build(
    folder: Path, example: str, board: str, defines: str, extra: str = "", place: str = "bench"
) -> Path:
    """Build a program of firmware/bench or another place below `folder`; return its path."""
    arguments = [
        "make",
        "-s",
        "-C",
        str(ROOT / "firmware"),
        f"BOARD={board}",
        f"EXAMPLE={example}",
        f"SOURCE_DIR={place}/{example}",
        f"DEFINES={defines}",
        f"BUILD={folder}",
        f"INCLUDE_DIRS=core {folder}",
        *([extra] if extra else []),
    ]
    subprocess.run(arguments, check=True)
    where = subprocess.run([*arguments, "where"], check=True, capture_output=True, text=True)
    return Path(where.stdout.strip())


def execute(
    program: Path,
    folder: Path,
    options: Iterable[str] = (),
    board: str = _BOARD,
    serial: str = "null",
) -> Iterator[tuple[int, str]]:
    """Run a program one instruction at a time and yield address and function of each.

    QEMU logs an instruction twice if its time slice ends just before it; the copy is omitted. No
    instruction of these programs jumps to itself.
    """
    log = folder / "instructions.log"
    semihosting = "enable=on,target=native,arg=bench" + "".join(f",arg={o}" for o in options)
    subprocess.run(
        [
            *("qemu-system-arm", "-M", board, "-kernel", str(program), "-nographic"),
            *("-monitor", "none", "-serial", serial, "-serial", "null"),
            *("-icount", "shift=0,sleep=off", "-semihosting-config", semihosting),
            *("-singlestep", "-d", "exec,nochain", "-D", str(log)),
        ],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    before = ""
    with log.open(encoding="ascii", errors="replace") as lines:
        for line in lines:
            match = _TRACE_LINE.match(line)
            if match is not None and match[1] != before:
                before = match[1]
                yield int(before, 16), match[2]
    log.unlink()


def calls_of(
    program: Path, folder: Path, options: Iterable[str] = (), board: str = _BOARD
) -> Iterator[Call]:
    """Yield the cost of each call of a site."""
    masking = masking_instructions(program)
    site, caller, masked, is_masked = "", "", 0, False
    functions: Counter[str] = Counter()
    previous = ""
    for address, function in execute(program, folder, options, board):
        if site and function == caller:
            yield Call(site, functions.total(), masked, functions)
            site = ""
        if not site and function.startswith("site_") and function != previous:
            site, caller, masked, is_masked = function, previous, 0, False
            functions = Counter()
        if site:
            functions[function] += 1
            masked += is_masked
            is_masked = masking.get(address, is_masked)
        previous = function


def _listing(program: Path, *options: str) -> str:
    """Return the disassembly of a program."""
    return subprocess.run(
        ["arm-none-eabi-objdump", "-d", "--no-show-raw-insn", *options, str(program)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def masking_instructions(program: Path) -> dict[int, bool]:
    """Return the addresses of instructions that mask (True) or restore (False) interrupts."""
    listing = _listing(program)
    found = re.findall(r"^ *([0-9a-f]+):\s+(cpsid\s+i|msr\s+PRIMASK)", listing, re.MULTILINE)
    return {int(address, 16): what.startswith("cpsid") for address, what in found}


def typical(calls: Iterable[Call], site: str) -> Call:
    """Return a call with the most frequent cost of a site; the first call may open a buffer."""
    mine = [call for call in calls if call.site == site]
    (instructions, _), *_ = Counter(call.instructions for call in mine).most_common()
    return next(call for call in mine if call.instructions == instructions)


def _emit(folder: Path) -> list[Result]:
    how = "QEMU mps2-an386, -O2, one instruction at a time, the most frequent of 20 calls"
    one = list(calls_of(build(folder, "emit_cost", _BOARD, "TT_CONFIG_BUFFER_RECORDS=512"), folder))
    event = typical(one, "site_event")
    two, four = (_streams(folder, streams) for streams in (2, 4))
    m33 = list(
        calls_of(
            build(folder, "emit_cost", _M33, "TT_CONFIG_BUFFER_RECORDS=512"), folder, board=_M33
        )
    )
    two_cpus = f"both CPUs built in, one runs; {how.replace(_BOARD, _M33)}"
    return [
        Result("emit_instructions", event.instructions, how),
        Result("masked_instructions", event.masked, how),
        Result("filtered_instructions", typical(one, "site_filtered").instructions, how),
        Result("full_instructions", typical(one, "site_full").instructions, how),
        Result("string_instructions", typical(one, "site_string").instructions, how),
        *(
            Result(f"log_{words}_instructions", typical(one, f"site_log_{words}").instructions, how)
            for words in ("one", "two", "three")
        ),
        Result("fast_instructions", typical(one, "site_fast").instructions, how),
        Result("fast_filtered_instructions", typical(one, "site_wide_filtered").instructions, how),
        Result("wide_instructions", typical(one, "site_wide").instructions, how),
        Result("second_stream_instructions", two - event.instructions, f"2 streams - 1; {how}"),
        Result("further_stream_instructions", (four - two) / 2, f"(4 streams - 2) / 2; {how}"),
        Result("m33_emit_instructions", typical(m33, "site_event").instructions, two_cpus),
        Result("m33_masked_instructions", typical(m33, "site_event").masked, two_cpus),
        Result("m33_filtered_instructions", typical(m33, "site_filtered").instructions, two_cpus),
    ]


def emit_instructions(folder: Path, board: str) -> int:
    """Return the instructions of an event that passes the filters, call site included."""
    program = build(folder, "emit_cost", board, "TT_CONFIG_BUFFER_RECORDS=512")
    return typical(calls_of(program, folder, board=board), "site_event").instructions


def _event_masks(folder: Path) -> list[Result]:
    """Measure events that share an entry of the route table, with 1 and 32 event masks in use."""
    results = []
    for masks in (1, 32):
        how = f"QEMU mps2-an386, -O2, masks in use: {masks}, the most frequent of 20 calls"
        defines = f"TT_CONFIG_BUFFER_RECORDS=512 TT_CONFIG_EVENT_MASKS={masks}"
        calls = list(calls_of(build(folder, "emit_cost", _BOARD, defines), folder))
        for key, site in (("taken", "site_single"), ("refused", "site_single_masked")):
            name = f"event_mask_{key}_{masks}_instructions"
            results.append(Result(name, typical(calls, site).instructions, how))
    return results


def _domains(folder: Path) -> list[Result]:
    """Measure trace points of the core and, through the system call, of a domain."""
    how = "xmtrace's trace point, QEMU mps2-an386, -O2, the most frequent of 20 calls"
    program = build(folder, "domain_cost", _BOARD, "TT_CONFIG_BUFFER_RECORDS=512")
    calls = list(calls_of(program, folder))
    return [
        Result("core_point_instructions", typical(calls, "site_core_point").instructions, how),
        Result("domain_point_instructions", typical(calls, "site_domain_point").instructions, how),
    ]


def _streams(folder: Path, streams: int) -> int:
    """Return the instructions of an event that `streams` streams record."""
    defines = f"TT_CONFIG_BUFFER_RECORDS=512 TT_CONFIG_STREAMS={streams}"
    calls = list(calls_of(build(folder, "emit_cost", _BOARD, defines), folder))
    return typical(calls, "site_streams").instructions


_ONE_CPU: Final = "TT_CONFIG_CPUS=1 KERNEL_CPUS=1"


def _switching(folder: Path) -> list[Result]:
    """Measure context switches of the reference kernel on M4 and M33: off, filtered, recorded."""
    results = []
    for name, board in (("m4", "mps2-an386"), ("m33", "mps2-an521")):
        how = f"QEMU {board}, -O2: PendSV_Handler from entry to return, the most frequent of 38"
        without = build(folder, "switch_cost", board, _ONE_CPU, "TT=0")
        recorder = build(folder, "switch_cost", board, f"{_ONE_CPU} TT_CONFIG_BUFFER_RECORDS=512")
        for kind, program, select in (
            ("off", without, 0),
            ("filtered", recorder, 0),
            ("on", recorder, 1),
        ):
            count = _switch_cost(program, folder, board, select)
            results.append(Result(f"switch_{kind}_{name}_instructions", count, how))
    return results


def _switch_cost(program: Path, folder: Path, board: str, select: int) -> int:
    """Return the most frequent number of instructions of the exception handler of a switch."""
    returns = re.findall(
        r"^ *([0-9a-f]+):\s+bx\s+lr",
        _listing(program, "--disassemble=PendSV_Handler"),
        re.MULTILINE,
    )
    last = int(returns[-1], 16)
    counts: Counter[int] = Counter()
    running = 0
    for address, function in execute(program, folder, [f"select={select}"], board):
        if running or function == "PendSV_Handler":
            running += 1
        if address == last:
            counts[running] += 1
            running = 0
    return counts.most_common(1)[0][0]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The code that DESIGN counts: recorder, ring, filters. Functions and tables by name, so that the
# figure does not depend on their files. The rest of the core is the drain.
_RECORDER: Final = _names(
    """
    tt_record tt_record_words record_slowly record_routed record_in_steps
    tt_ring_reset tt_ring_advance tt_ring_find_free tt_ring_flush tt_ring_acquire tt_ring_release
    tt_ring_settle_step tt_ring_settle_pending_drops tt_ring_close set_limit low_on_buffers
    cancel_buffer drop is_open claim_buffer open_buffer shed decision_begin decision_end
    begin_buffer
    is_mine flush_step oldest_full take_full tag_of opened_before
    tt_clock_reset tt_clock_extend tt_clock_now tt_clock_poll tt_clock_poll_after mark_time
    tt_filter_covers tt_filter_pass tt_set_thread_filter tt_add_handler tt_remove_handler
    tt_clear_filters covers find_slot replace replace_handler passes find_run begin_run
    tt_route_range tt_route_refresh tt_route_reset tt_route_selected tt_route_selection
    tt_select_all tt_select_event tt_select_class tt_set_wide update_routes mark_type bit_of
    tt_set_shedding tt_set_policy tt_set_buffers check_rest tt_start tt_start_without_state tt_stop
    tt_ring_account tt_ring_status tt_class_status read_own read_counters
    tt_class_first_route tt_kercall_positions tt_route_find tt_route_has_wide tt_route_types
    first_routes runs
    """
)

# Other symbols of the core in the program that records.
_BESIDE: Final = _names(
    """
    tt_init tt_target_set tt_start_reset tt_drain_reset tt_drain_waits tt_target tt_current_thread
    tt_outlet_reset tt_send_reset tt_command_reset tt_names_reset tt_announce_reset tt_announce_ask
    tt_log_two tt_log_three tt_log_typed ring_with_room write_slowly append append_arguments
    append_pointer append_text filling begin_conversion next_is_precision announce_names is_complete
    add_text tt_add_d2_string tt_combine_add tt_combine_end tt_combine_moved
    tt_combine_write_begin tt_record_payload tt_record_string tt_record_wide lock_with_room
    write_pair write_part store_in
    tt_state_dump record_at report report_text report_state report_object take_snapshot is_taken
    tt_route_index
    """
)


def _code_size(folder: Path) -> list[Result]:
    options = ("TT_CONFIG_PACKING=0", "OPT=-Os")
    records = build(folder, "emit_cost", _BOARD, *options)
    drains = build(folder / "Os", "first_tape", _BOARD, *options, place="examples")
    packs = build(folder / "packed", "first_tape", _BOARD, "", "OPT=-Os", place="examples")
    recorder = core_symbols(records)
    if unplaced := recorder.keys() - _RECORDER - _BESIDE:
        message = f"add to _RECORDER or _BESIDE in {__file__}: {', '.join(sorted(unplaced))}"
        raise ValueError(message)
    drained = core_symbols(drains)
    how = "-Os, linked with --gc-sections: functions and tables of recorder, ring and filters"
    return [
        Result(
            "core_code_bytes",
            sum(size for name, size in recorder.items() if name in _RECORDER),
            f"{how}; the program selects, filters and records (bench/emit_cost)",
        ),
        Result(
            "drained_core_code_bytes",
            sum(size for name, size in drained.items() if name in _RECORDER),
            f"{how}; the program also drains and takes commands (examples/first_tape)",
        ),
        Result(
            "packed_core_code_bytes",
            sum(core_symbols(packs).values()),
            "the same, all of firmware/core, with packing (examples/first_tape)",
        ),
        Result(
            "whole_core_code_bytes",
            sum(drained.values()),
            "the same, all of firmware/core, without packing (examples/first_tape)",
        ),
    ]


def core_symbols(program: Path) -> Counter[str]:
    """Return the bytes of code and constants of the core that the linker kept, by name.

    Parts and variants of a function that the compiler made count under its name.
    """
    objects = program.parent / f"{program.stem}.obj" / "core"
    kept = _sizes_of(program).keys()
    sizes: Counter[str] = Counter()
    for source in (ROOT / "firmware/core").glob("*.c"):
        for name, size in _sizes_of(objects / f"{source.stem}.o").items():
            if name in kept:
                sizes[name.split(".")[0]] += size
    return sizes


def variable_bytes(program: Path, patterns: Iterable[str]) -> dict[str, int]:
    """Return the bytes of the variables of matching objects in a program, by name."""
    objects = program.parent / f"{program.stem}.obj"
    kept = _sizes_of(program, "bBdD").keys()
    return {
        name: size
        for pattern in patterns
        for path in sorted(objects.glob(pattern))
        for name, size in _sizes_of(path, "bBdD").items()
        if name in kept
    }


def _sizes_of(path: Path, kinds: str = "tTrR") -> dict[str, int]:
    """Return the bytes of each symbol of an object or program; default: code and constants."""
    listing = subprocess.run(
        ["arm-none-eabi-nm", "-S", str(path)], check=True, capture_output=True, text=True
    ).stdout
    found = re.findall(rf"^[0-9a-f]+ ([0-9a-f]+) [{kinds}] (\S+)$", listing, re.MULTILINE)
    return {name: int(size, 16) for size, name in found}


# Functions that put the output of the encoder into frames, and those of the bench itself.
_FRAMING: Final = (
    *("tt_frame_", "next_piece", "memmove", "tt_crc32_", "tt_outlet_", "tt_target", "tt_send_"),
    *("send_", "count", "site_", "encode_bytes", "add_to_split", "copy_to_link", "make_room"),
    *("begin", "add_crc", "add_table", "add_packed_header", "hand_over", "commit"),
)


def _packing(folder: Path) -> list[Result]:
    records = standard_mix.write_header(folder / "mix_records.h", _BUFFER_RECORDS)
    defines = f"TT_CONFIG_BUFFER_RECORDS={_BUFFER_RECORDS}"
    native = build(folder, "pack_cost", "native", defines)
    printed = subprocess.run([str(native)], check=True, capture_output=True, text=True)
    values = dict(re.findall(r"^(\w+) (\d+)$", printed.stdout + printed.stderr, re.MULTILINE))
    target = build(folder, "pack_cost", _BOARD, defines)
    calls = list(calls_of(target, folder, [f"records={_COUNTED_BUFFERS * _BUFFER_RECORDS}"]))[1:]
    counted = len(calls) * _BUFFER_RECORDS
    encoder = sum(
        count
        for call in calls
        for function, count in call.by_function.items()
        if not function.startswith(_FRAMING)
    )
    how = (
        f"the first {_COUNTED_BUFFERS} buffers of {_BUFFER_RECORDS} records of the standard mix, "
        "the first left out, QEMU mps2-an386, -O2"
    )
    return [
        Result(
            "wire_bytes_per_event",
            int(values["link_bytes"]) / records,
            f"{records} events of the standard mix, {_BUFFER_RECORDS} records a buffer, with "
            "frame headers, CRC, COBS and delimiters",
        ),
        Result("pack_instructions", encoder / counted, f"the encoder alone; {how}"),
        Result(
            "send_instructions",
            sum(call.instructions for call in calls) / counted,
            f"encoder, CRC and COBS; {how}",
        ),
    ]
