"""Programs that are built with other than the default sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.workbench import build, run_native, run_qemu
from tickertape.analysis.balance import balance_of
from tickertape.symbols.elf import read_symbols
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command


@pytest.mark.parametrize("records", [16, 1024, 4000])
@pytest.mark.parametrize("board", ["native", "mps2-an386"])
def test_a_buffer_of_any_size_fits_into_the_link(
    tickertape: Command, tmp_path: Path, board: str, records: int
) -> None:
    """The ring of the link grows with the buffers; otherwise no buffer could be sent."""
    defines = f"TT_CONFIG_BUFFER_RECORDS={records} TT_CONFIG_BUFFERS=4"
    name = f"first_tape_{records}"
    program = build(board, name, SOURCE_DIR="examples/first_tape", DEFINES=defines)
    trace = f"file:{tmp_path / 'x.bin'}"
    if board == "native":
        done = run_native(program, "--duration-ms", "300", "--trace", trace)
    else:
        done = run_qemu(board, program, "duration-ms=300", trace=trace)
    assert done.returncode == 0, done.stderr
    captured = tickertape("capture", "-q", "file:x.bin", "-o", "x.tape")
    assert (captured.returncode, captured.stderr) == (0, "")
    with TapeReader(tmp_path / "x.tape") as reader:
        assert sum(len(columns) for columns in iter_events(reader)) > 1000
        assert reader.hello is not None
        assert reader.hello.buffer_records == records
        total = balance_of(reader).total
        assert total.holds
        assert total.delivered > 1000


def test_a_program_follows_its_options_though_its_objects_are_older() -> None:
    """Objects are stored per set of options; building another set does not change them."""

    def built(records: int) -> bytes:
        defines = f"TT_CONFIG_BUFFER_RECORDS={records} TT_CONFIG_BUFFERS=4"
        program = build("native", "again", SOURCE_DIR="examples/first_tape", DEFINES=defines)
        return program.read_bytes()

    small, large, small_again = built(16), built(4000), built(16)
    assert small == small_again
    assert small != large


WATCHING = """
#include "board.h"
#include "tickertape/tickertape.h"
#include "tickertape/watch.h"

static int32_t setpoint;

void application_main(void)
{
    static const tt_target_t target = {.name = "watch", .tick_hz = 1000000u};
    (void)tt_init(&target, board_trace_link());
    const int comparator = tt_watch(setpoint);
    setpoint = comparator;
    (void)tt_watch_end(comparator);
}
"""


def test_variables_are_watched_over_swo_only(tmp_path: Path) -> None:
    """On the board with SWO, also with the cycle counter; without the recorder no code is left."""
    (tmp_path / "main.c").write_text(WATCHING)
    link = "BOARD_TRACE_LINK=BOARD_LINK_SWO"
    everything = f"{link} BOARD_HARDWARE_TRACE=3 BOARD_CYCLE_CLOCK=1"
    for place, (defines, tracer) in enumerate([(link, "1"), (everything, "1"), (link, "0")]):
        name = f"watch_{place}"
        program = build("stm32f4", name, SOURCE_DIR=str(tmp_path), DEFINES=defines, TT=tracer)
        names = {symbol.name for symbol in read_symbols(program)}
        assert ("hardware_trace_watch" in names) == (tracer == "1")
    with pytest.raises(pytest.fail.Exception, match="undefined reference to `tt_watch_memory'"):
        build("stm32f4", "watch_none", SOURCE_DIR=str(tmp_path), DEFINES="")
