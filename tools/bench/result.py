"""Measured values, their budgets, and their output as table and JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Budget:
    """Upper or lower limit of a value.

    Attributes:
        what: description of the measured value.
        unit: unit of value, limit and peer.
        limit: the budget; None for a value without one.
        direction: "≤" or "≥", the required relation of a value to it.
        peer: name and value of the best comparable tool for the same work.
    """

    what: str
    unit: str
    limit: float | None
    direction: Literal["≤", "≥"]
    peer: str

    def text(self) -> str:
        """Return the budget with its direction as text."""
        if self.limit is None:
            return "-"
        return f"{self.direction} {number(self.limit)}"

    def verdict(self, value: float) -> str:
        """Return the verdict on a value: ok, over or below."""
        if self.limit is None:
            return ""
        kept = value >= self.limit if self.direction == "≥" else value <= self.limit
        return "ok" if kept else "over" if self.direction == "≤" else "below"


# The budgets of DESIGN section 14 that can be measured.
BUDGETS: Mapping[str, Budget] = {
    "emit_instructions": Budget(
        "emit a 2-word event, call site included", "instructions", 32, "≤", "barectf + lock 101"
    ),
    "masked_instructions": Budget(
        "interrupts masked, per event", "instructions", 20, "≤", "barectf 92, Zephyr CTF 63"
    ),
    "masked_emit_plain": Budget(
        "interrupts masked, an emit that switches no buffer, at most",
        "instructions",
        20,
        "≤",
        "63-156 for the common case",
    ),
    "m33_masked_emit_plain": Budget("the same on the M33 of two CPUs", "instructions", 22, "≤", ""),
    "masked_further_stream": Budget("each further stream adds", "instructions", 12, "≤", ""),
    "masked_worst_emit": Budget(
        "interrupts masked, a step that switches a buffer, at most", "instructions", 150, "≤", ""
    ),
    "masked_worst_call": Budget(
        "interrupts masked, anything else, at most", "instructions", 300, "≤", ""
    ),
    "filtered_instructions": Budget(
        "filtered out at run time", "instructions", 6, "≤", "TraceRecorder 14"
    ),
    "event_mask_taken_1_instructions": Budget(
        "emit a single event that a mask takes, of 1", "instructions", None, "≤", ""
    ),
    "event_mask_refused_1_instructions": Budget(
        "one that is not taken, beside a mask that takes another", "instructions", None, "≤", ""
    ),
    "event_mask_taken_32_instructions": Budget(
        "emit a single event that a mask takes, the last of 32", "instructions", None, "≤", ""
    ),
    "event_mask_refused_32_instructions": Budget(
        "one that is not taken, beside 32 masks", "instructions", None, "≤", ""
    ),
    "slow_link_share": Budget(
        "records beside announcements on a slow link", "of those without", 0.9, "≥", ""
    ),
    "slow_link_names_s": Budget("the same, until all names came", "s", 60, "≤", ""),
    "slow_link_status_s": Budget("the same, a ring without STATUS", "s", 10, "≤", ""),
    "core_point_instructions": Budget(
        "a trace point of the core, xm_trace2()", "instructions", None, "≤", ""
    ),
    "domain_point_instructions": Budget(
        "a trace point of a domain, by system call", "instructions", None, "≤", ""
    ),
    "core_code_bytes": Budget(
        "recorder, rings and filters, -Os, linked", "bytes", 2700, "≤", "SystemView 2732"
    ),
    "wire_bytes_per_event": Budget(
        "packed, standard mix, frames included", "bytes", 4.5, "≤", "SystemView 9.5"
    ),
    "pack_instructions": Budget(
        "drain's encoder, per event", "instructions", 60, "≤", "SystemView 154"
    ),
    "decode_records_per_s": Budget(
        "tape to columns, one core", "records/s", 100e6, "≥", "babeltrace2 4.9 M"
    ),
    "decode_peak_mib": Budget("memory while decoding", "MiB", 150, "≤", "babeltrace2 16"),
    "print_events_per_s": Budget("as text to a file", "events/s", 20e6, "≥", "babeltrace2 1.4 M"),
    "decode_numpy_records_per_s": Budget(
        "the same by numpy alone", "records/s", 50e6, "≥", "babeltrace2 4.9 M"
    ),
    "decode_vs_babeltrace2": Budget(
        "whole `info --verify` against its dummy sink, simple events", "times", 3, "≥", "1"
    ),
    "decode_mix_vs_babeltrace2": Budget(
        "the same, 22 % of the events with texts", "times", 3, "≥", "1"
    ),
    "print_vs_babeltrace2": Budget(
        "whole `print` into a file, simple events", "times", 10, "≥", "1"
    ),
    "print_mix_vs_babeltrace2": Budget(
        "the same, 22 % of the events with texts", "times", 10, "≥", "1"
    ),
    "print_nowhere_events_per_s": Budget("as text to nowhere", "events/s", None, "≥", ""),
    "swo_port_bytes_per_s": Budget(
        "SWO: bytes of the trace's port, with time stamps", "bytes/s", 10e6, "≥", ""
    ),
    "swo_data_bytes_per_s": Budget(
        "SWO: writes of watched variables, as events", "bytes/s", 10e6, "≥", ""
    ),
    "info_s": Budget("info of a 1.6 GB tape", "s", 0.5, "≤", ""),
    "import_s": Budget("python -c 'import tickertape'", "s", 0.15, "≤", ""),
    "live_core_share": Budget(
        "live capture at 12 Mbaud, packed, no loss", "of a core", 0.5, "≤", ""
    ),
    "live_raw_core_share": Budget("the same, buffers not packed", "of a core", 0.5, "≤", ""),
    "babeltrace2_decode_events_per_s": Budget(
        "babeltrace2 into its dummy sink, simple events", "events/s", None, "≥", ""
    ),
    "babeltrace2_mix_decode_events_per_s": Budget(
        "the same, 22 % of the events with texts", "events/s", None, "≥", ""
    ),
    "babeltrace2_print_events_per_s": Budget(
        "babeltrace2 as text into a file, simple events", "events/s", None, "≥", ""
    ),
    "babeltrace2_mix_print_events_per_s": Budget(
        "the same, 22 % of the events with texts", "events/s", None, "≥", ""
    ),
    "ctf_events_per_s": Budget(
        "export ctf, tape to files", "events/s", 40e6, "≥", "babeltrace2 reads 4.9 M"
    ),
    "ctf_mix_events_per_s": Budget(
        "the same, 22 % of the events with texts", "events/s", None, "≥", ""
    ),
    "ctf_peak_mib": Budget("memory while doing it", "MiB", 150, "≤", ""),
    "parquet_events_per_s": Budget(
        "export parquet, tape to files, on the wall", "events/s", 15e6, "≥", ""
    ),
    "parquet_cpu_events_per_s": Budget(
        "the same, by processor time of all threads", "events/s", None, "≥", ""
    ),
    "parquet_peak_mib": Budget("memory while doing it", "MiB", 300, "≤", ""),
    "stats_events_per_s": Budget(
        "stats of 10 M events, tape to figures", "events/s", 10_000_000, "≥", ""
    ),
    "stats_plain_events_per_s": Budget(
        "the same without interrupts, of threads that only take turns", "events/s", None, "≥", ""
    ),
    "stats_peak_mib": Budget("memory while doing it", "MiB", 300, "≤", ""),
    "check_events_per_s": Budget(
        "check of 10 M events with ten rules", "events/s", 6_700_000, "≥", ""
    ),
    "stats_vs_trace_processor": Budget(
        "stats, tape to figures, against Perfetto's trace processor, loading included",
        "times",
        10,
        "≥",
        "1",
    ),
    "why_worst_5_s": Budget(
        "the five longest instances of a task of 9.9 M events explained", "s", 1.5, "≤", ""
    ),
    "trace_processor_events_per_s": Budget(
        "Perfetto's trace processor (WebAssembly), trace to figures", "events/s", None, "≥", ""
    ),
    "view_open_10m_s": Budget(
        "view of 10 M events, first time, to its first rows", "s", 1.5, "≤", ""
    ),
    "view_start_cpu_s": Budget("processor time of the command until it serves", "s", None, "≤", ""),
    "view_complete_10m_s": Budget("view of 10 M events, until all are shown", "s", None, "≤", ""),
    "view_perfetto_10m_s": Budget(
        "the same in Perfetto's interface (`view --perfetto`), to its first tracks",
        "s",
        None,
        "≤",
        "",
    ),
    "view_open_100m_s": Budget("view of 100 M events, to its first rows", "s", 5, "≤", ""),
    "view_complete_100m_s": Budget("view of 100 M events, until all are shown", "s", 15, "≤", ""),
    "view_frame_p95_ms": Budget("the page's work per frame, 95 of 100 frames", "ms", 16, "≤", ""),
    "view_page_mb": Budget("heap and buffers of the page, 10 M events", "MB", 300, "≤", ""),
    "view_page_100m_mb": Budget("the same, 100 M events", "MB", 300, "≤", ""),
    "check_peak_mib": Budget("memory while doing it", "MiB", 300, "≤", ""),
    "perfetto_events_per_s": Budget(
        "export perfetto, tape to file", "events/s", 15e6, "≥", "the package perfetto 0.6 M"
    ),
    "perfetto_packets_per_s": Budget(
        "its encoder alone", "packets/s", 15e6, "≥", "the package perfetto 0.6 M"
    ),
    "perfetto_peak_mib": Budget("memory while doing it", "MiB", 150, "≤", ""),
    "btf_events_per_s": Budget("export btf, tape to file", "events/s", 6e6, "≥", ""),
    "btf_peak_mib": Budget("memory while doing it", "MiB", 150, "≤", ""),
    "chrome_events_per_s": Budget("export chrome, tape to file", "events/s", None, "≥", ""),
    "shark_events_per_s": Budget("export shark, tape to file", "events/s", None, "≥", ""),
    "jtracer_events_per_s": Budget("export jtracer, tape to file", "events/s", None, "≥", ""),
    "full_instructions": Budget(
        "emit while the ring is full and drops",
        "instructions",
        None,
        "≤",
        "barectf 53, Zephyr CTF 60",
    ),
    "string_instructions": Budget(
        "emit a string as a combine event", "instructions", None, "≤", ""
    ),
    "log_one_instructions": Budget("tt_logf() with one word", "instructions", 60, "≤", ""),
    "log_two_instructions": Budget("tt_logf() with two words", "instructions", 60, "≤", ""),
    "log_three_instructions": Budget("tt_logf() with three words", "instructions", 60, "≤", ""),
    "fast_instructions": Budget(
        "emit the fast form where there is a wide one", "instructions", 32, "≤", ""
    ),
    "fast_filtered_instructions": Budget(
        "the same, filtered out at run time", "instructions", 6, "≤", ""
    ),
    "wide_instructions": Budget(
        "emit a wide form of 5 words, 3 records", "instructions", None, "≤", ""
    ),
    "posix_filtered_instructions": Budget(
        "posix_trace_event() of a task, no stream takes it", "instructions", 12, "≤", ""
    ),
    "posix_filtered_ns": Budget(
        "posix_trace_event() of a process, no stream takes it", "ns", None, "≤", ""
    ),
    **{
        f"posix_{streams}_{unit}": Budget(
            f"posix_trace_event() of a {who}, {streams} stream{'s'[: streams - 1]}",
            unit,
            {1: 250, 8: 500}.get(streams) if unit == "instructions" else None,
            "≤",
            "",
        )
        for who, unit in (("task", "instructions"), ("process", "ns"))
        for streams in (1, 2, 8)
    },
    **{
        f"{prefix}{key}": Budget(
            f"{what}{where}", "bytes" if "bytes" in key else "instructions", limit, "≤", peer
        )
        for prefix, where in (("", ""), ("m4_", ", M4F"))
        for key, what, limit, peer in (
            ("drain_per_record", "drain, packed, for each record", 140, ""),
            ("drain_per_record_small", "the same with the small CRC table", 165, ""),
            ("drain_per_record_raw", "drain, unpacked, for each record", 165, ""),
            ("uart_per_byte", "UART interrupts, for each byte", 8, "SystemView 69"),
            ("uart_per_byte_single", "the same, one byte each", 16, "SystemView 69"),
            ("whole_per_event", "emit, drain and UART interrupts", 205, "SystemView 321-940"),
            ("whole_per_event_single", "the same, one byte each", 245, "SystemView 321-940"),
            ("whole_per_event_dma", "emit, drain and DMA interrupts", 170, "SystemView 321-940"),
            ("whole_per_event_memory", "emit and drain into memory", 60, "SystemView RTT 108-175"),
            ("whole_bytes_per_event", "bytes on the link for each event", None, ""),
            ("drain_step", "longest step of the drain, a buffer of 128 records", None, ""),
            ("drain_step_slice", "the same in slices of 32 records", None, ""),
            ("drain_per_record_slice", "drain in slices, packed, for each record", None, ""),
        )
    },
    "other_barectf_record": Budget("barectf: record, send packets", "instructions", None, "≤", ""),
    "other_barectf_per_event": Budget(
        "barectf: the same and UART interrupts", "instructions", None, "≤", ""
    ),
    "other_barectf_masked": Budget(
        "barectf: of it with interrupts masked", "instructions", None, "≤", ""
    ),
    "other_barectf_bytes": Budget("barectf: bytes on the link per event", "bytes", None, "≤", ""),
    "ram_beside_records": Budget(
        "RAM of the recorder without its records", "bytes", 4096, "≤", "SystemView 440"
    ),
    **{
        f"ram_{part}": Budget(f"of it: {what}", "bytes", None, "≤", "")
        for part, what in (
            ("packing", "packing, its tables of kinds included"),
            ("link", "the rings of the UART, both directions"),
            ("thread", "the thread of the drain, and its stack of 1 024"),
            ("rings", "descriptors of buffers, counters"),
            ("routes", "routes and selection"),
            ("filters", "filters by thread and handlers"),
            ("commands", "commands of the host"),
            ("rest", "the open frame, announcements, clock, names"),
        )
    },
    "ram_beside_records_small": Budget(
        "the same with TT_CONFIG_SMALL, examples/small", "bytes", 1536, "≤", "SystemView 440"
    ),
    **{
        f"ram_small_{part}": Budget(f"of it: {what}", "bytes", None, "≤", "")
        for part, what in (
            ("link", "the rings of the UART, both directions"),
            ("rings", "descriptors of buffers, counters"),
            ("routes", "routes and selection"),
            ("filters", "filters by thread and handlers"),
            ("commands", "commands of the host"),
            ("rest", "the open frame, announcements, clock, names"),
        )
    },
    **{
        f"freertos_{name}_{mode}": Budget(f"{what}, {how}", "instructions", None, "≤", "")
        for name, what in (
            ("yield", "FreeRTOS, two switches by taskYIELD()"),
            ("give", "FreeRTOS, xSemaphoreGive() that wakes, until the woken task waits again"),
            ("mutex", "FreeRTOS, a mutex taken and given"),
            ("irq", "FreeRTOS, an interrupt raised, its handler wrapped"),
        )
        for mode, how in (
            ("without", "without the recorder"),
            ("stopped", "stopped"),
            ("recording", "recording"),
        )
    },
    **{
        f"zephyr_{name}_{mode}": Budget(
            f"Zephyr, {what}, {how}", "instructions", limits.get(mode), "≤", ""
        )
        for name, what, limits in (
            ("yield", "switch by k_yield()", {"filtered": 150, "recorded": 300}),
            ("give", "k_sem_give() without a switch", {"recorded": 180}),
            ("unlock", "k_mutex_unlock()", {"recorded": 120}),
        )
        for mode, how in (
            ("without", "no tracing"),
            ("filtered", "tickertape, nothing selected"),
            ("recorded", "tickertape, recording"),
            ("user", "Zephyr's user hooks, empty"),
            ("ctf", "Zephyr's CTF into memory"),
            ("ctf_sent", "Zephyr's CTF, sent over a UART"),
        )
    },
    **{
        f"zephyr_{kind}_bytes_{name}": Budget(f"{what} of {who}", "bytes", limit, "≤", "")
        for name, who, limits in (
            ("tickertape", "tickertape, the default configuration", (14_000, 22_000)),
            ("small", "tickertape, CONFIG_TICKERTAPE_SMALL", (None, 5_000)),
            ("user", "Zephyr's user hooks, empty", (None, None)),
            ("ctf", "Zephyr's CTF, without the memory that it fills", (None, None)),
        )
        for kind, what, limit in zip(("rom", "ram"), ("ROM", "RAM"), limits, strict=True)
    },
    "posix_read_ns": Budget("an event read by a process", "ns", None, "≤", ""),
    "second_stream_instructions": Budget("a second stream", "instructions", 12, "≤", ""),
    "further_stream_instructions": Budget("each stream after that", "instructions", 12, "≤", ""),
    **{
        f"switch_{kind}_{cpu}_instructions": Budget(
            f"context switch on {cpu.upper()}, {meaning}", "instructions", None, "≤", ""
        )
        for cpu in ("m4", "m33")
        for kind, meaning in (
            ("off", "built without the recorder"),
            ("filtered", "nothing selected"),
            ("on", "switch and overhead recorded"),
        )
    },
    "m33_emit_instructions": Budget("emit on the M33 of two CPUs", "instructions", None, "≤", ""),
    "m33_masked_instructions": Budget("the same, interrupts masked", "instructions", None, "≤", ""),
    "m33_filtered_instructions": Budget(
        "the same, filtered out at run time", "instructions", None, "≤", ""
    ),
    "drained_core_code_bytes": Budget(
        "the same parts in a program that drains", "bytes", None, "≤", ""
    ),
    "whole_core_code_bytes": Budget(
        "recorder, drain, commands, -Os, linked", "bytes", None, "≤", ""
    ),
    "packed_core_code_bytes": Budget("the same with packing", "bytes", None, "≤", ""),
    "send_instructions": Budget(
        "drain, per event: encoder, CRC, COBS", "instructions", None, "≤", ""
    ),
}


@dataclass(frozen=True)
class Result:
    """One measured value.

    Attributes:
        key: key of its budget.
        value: value in the unit of the budget.
        how: method of the measurement, so that others can repeat it.
    """

    key: str
    value: float
    how: str

    def __post_init__(self) -> None:
        """Refuse a result without a budget.

        Raises:
            KeyError: BUDGETS does not have the key.
        """
        _ = BUDGETS[self.key]


def number(value: float) -> str:
    """Format a number briefly: 57.1 M, 2 560, 31.5."""
    million = 1e6
    if value >= million:
        return f"{value / million:.3g} M"
    return f"{value:,.0f}".replace(",", " ") if value >= 100 else f"{value:.3g}"  # noqa: PLR2004 - three digits


def table(results: Sequence[Result]) -> str:
    """Return results as a table of text."""
    rows = [("key", "value", "unit", "budget", "", "best peer")]
    for result in results:
        budget = BUDGETS[result.key]
        verdict = budget.verdict(result.value)
        rows.append(
            (result.key, number(result.value), budget.unit, budget.text(), verdict, budget.peer)
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def as_json(results: Sequence[Result]) -> str:
    """Return results as JSON: {key: {value, how, unit, budget, peer}}."""
    found = {}
    for result in results:
        budget = BUDGETS[result.key]
        values = asdict(result)
        del values["key"]
        found[result.key] = {
            **values,
            "unit": budget.unit,
            "budget": budget.text(),
            "peer": budget.peer,
        }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"
