"""The exact layout of traceprinter 1.02: lines of the original, and its rules."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pytest

from tests.support.boots import boots
from tests.support.columns import Row, columns, gap
from tickertape.printing.qnx import QnxExporter, head_lines
from tickertape.printing.qnx_calls import arguments, qnx_calls
from tickertape.protocol.wire import ByteOrder


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *(value % 2**32 for value in values))


def text(label: str) -> bytes:
    data = label.encode() + b"\0"
    return data + bytes(-len(data) % 4)


def exporter(*, foreign: bool = True, one_line: bool = False) -> QnxExporter:
    return QnxExporter(boots(hz=1000), {}, foreign=foreign, one_line=one_line)


def line(row: Row, *, foreign: bool = True, one_line: bool = False) -> str:
    """Return the printed line after the prefix of time and CPU."""
    one = exporter(foreign=foreign, one_line=one_line)
    (found,) = [*one.lines(columns([row])), *one.tail()]
    assert found.startswith("t:0x00000000 CPU:00 ")
    return found[20:]


# Published output of the original traceprinter.
SEEN = [
    (
        Row(0x6D1FF92F, (1, 2), (1053, 714)),
        "t:0x6d1ff92f CPU:00 CONTROL: BUFFER sequence = 1053, num_events = 714",
    ),
    (
        Row(0xD473951C, (2, 128 + 88), (2, 10)),
        "t:0xd473951c CPU:00 KER_EXIT:SCHED_GET/88 ret_val:2 sched_priority:10",
    ),
    (
        Row(0x2CCF9F5A, (3, 1), (0x80000000, 0x002D8B18)),
        "t:0x2ccf9f5a CPU:00 INT_ENTR:0x80000000 (-2147483648)       IP:0x002d8b18",
    ),
    (
        Row(0x645DD86D, (6, 100), (2, 0)),
        "t:0x645dd86d CPU:00 USREVENT:EVENT:100, d0:0x00000002 d1:0x00000000",
    ),
    (
        Row(0x5303F950, (7, 3), (0x40000003, 364659)),
        "t:0x5303f950 CPU:00 COMM    :REC_PULSE     scoid:0x40000003 pid:364659",
    ),
]


@pytest.mark.parametrize(("row", "expected"), SEEN)
def test_lines_that_the_original_wrote(row: Row, expected: str) -> None:
    assert list(exporter().lines(columns([row]))) == [expected]


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ((1, 1), (1, 0xFFF), "CONTROL :TIME msb:0x00000001 lsb(offset):0x00000fff"),
        ((1, 2), (0x801, 3), "CONTROL: BUFFER sequence = 1, num_events = 3"),
        ((2, 0), (1, 2), "KER_CALL:NOP/00 dummy:0x00000001 empty:0x00000002"),
        ((2, 1), (3, 4), "KER_CALL:TRACE_EVENT/01 mode:0x00000003 class[header]:0x00000004"),
        ((2, 128), (1, 2), "KER_EXIT:NOP/00 empty:0x00000001 empty:0x00000002"),
        ((2, 2), (0x8000, 0), "KER_CALL:RING0/02 func_p:0x8000 arg_p:(nil)"),
        ((2, 11), (5, 0x64636261), 'KER_CALL:MSG_SENDV/11 coid:0x00000005 msg:"abcd" (0x64636261)'),
        ((2, 11), (5, 0x00000102), 'KER_CALL:MSG_SENDV/11 coid:0x00000005 msg:"" (0x00000102)'),
        ((2, 128 + 19), (0, 7), "KER_EXIT:MSG_INFO/19 ret_val:0x00000000 nd:7"),
        ((2, 58), (1, 2), "KER_CALL:INTERRUPT_WAIT/58 flags:0x00000001 timeout_tv_sec:2"),
        ((2, 128 + 101), (3, 0), "KER_EXIT:BAD/101 ret_val:0x00000003 empty:0x00000000"),
        ((2, 256 + 14), (0, 0), "INT_CALL:MSG_RECEIVEV/14"),
        ((2, 128 + 14), (0xFFFFFFFF, 4), "KER_EXIT:MSG_RECEIVEV/14 ret_val:-1, errno:4"),
        ((3, 2), (0x80000000, 1), "INT_EXIT:0x80000000 (-2147483648) inkernel:0x00000001"),
        ((4, 1), (1, 2), "THREAD  :THRUNNING     pid:1 tid:2 "),
        ((4, 20), (1, 2), "THREAD  :THNET_REPLY   pid:1 tid:2 "),
        ((4, 24), (1, 2), "THREAD  :THCREATE      pid:1 tid:2"),
        ((4, 25), (1, 2), "THREAD  :THDESTROY     pid:1 tid:2"),
        ((4, 27), (1, 2), "VTHREAD :VTHRUNNING    pid:1 tid:2 "),
        ((4, 50), (1, 2), "VTHREAD :VTHCREATE     pid:1 tid:2"),
        ((4, 64), (1, 2), "PROCESS :PROCCREATE    ppid:1 pid:2"),
        ((4, 128), (1, 2), "PROCESS :PROCDESTROY   ppid:1 pid:2"),
        ((5, 9), (0x1234, 0), "SYSTEM  :ADDRESS addr:0x00001234"),
        ((5, 10), (16, 32), "SYSTEM  :FUNC_ENTER thisfn:0x00000010 call_site:0x00000020"),
        ((7, 0), (65537, 4), "COMM    :SND_MESSAGE   rcvid:0x00010001 pid:4"),
        ((7, 8), (1, 2), "COMM    :SND_PULSE_QUN scoid:0x00000001 pid:2"),
        ((7, 9), (11, -1 % 2**32), "COMM    :SIGNAL        si_signo:11 si_code:-1"),
        ((7, 11), (1, 2), "COMM    :MSG_ERROR     tid:1 pid:2"),
        ((31, 77), (1, 2), "APP31   :EVENT_77      data0:0x00000001 data1:0x00000002"),
    ],
)
def test_events_of_two_words(kind: tuple[int, int], data: tuple[int, int], expected: str) -> None:
    assert line(Row(0, kind, data)) == expected


@pytest.mark.parametrize(
    ("kind", "payload", "expected"),
    [
        (
            (2, 128 + 88),
            words(2, 10, 11, 0),
            (
                "KER_EXIT:SCHED_GET/88\n"
                "                   ret_val:2\n"
                "            sched_priority:10\n"
                "         sched_curpriority:11\n"
                "           ss_low_priority:0"
            ),
        ),
        (
            (2, 12),
            words(1, 2, 3) + b"hell" + b"o ev" + b"ery1",
            (
                "KER_CALL:MSG_SENDVNC/12\n"
                "                      coid:0x00000001\n"
                "                    sparts:2\n"
                "                    rparts:3\n"
                '                       msg:"hello every1" (0x6c6c6568 0x7665206f 0x31797265)'
            ),
        ),
        (
            (3, 3),
            words(7, 3, 0x100, 0x200),
            "INT_HANDLER_ENTR:0x00000003 (3)       PID:7 IP:0x00000100 AREA:0x00000200",
        ),
        ((3, 4), words(3, 4, 0, 0), "INT_HANDLER_EXIT:0x00000003 (3) SIGEVENT:INTR EVENT"),
        ((4, 2), words(1, 2, 10, 1), "THREAD  :THREADY       pid:1 tid:2 priority:10 policy:1"),
        (
            (4, 2),
            words(1, 2, 10, 1, 3, 0x11),
            (
                "THREAD  :THREADY       pid:1 tid:2 priority:10 policy:1 partition:3 "
                "sched_flags:0x00000011"
            ),
        ),
        (
            (4, 24),
            words(1, 2, 3, 0),
            (
                "THREAD  :THCREATE     \n"
                "                       pid:1\n"
                "                       tid:2\n"
                "                    policy:3"
            ),
        ),
        (
            (4, 192),
            words(1, 2) + text("proc/boot/procnto"),
            (
                "PROCESS :PROCCREATE_NAME\n"
                "                      ppid:1\n"
                "                       pid:2\n"
                "                      name:proc/boot/procnto"
            ),
        ),
        (
            (5, 2),
            words(1, 2) + text("/dev/null"),
            (
                "SYSTEM  :PATHMGR_OPEN   \n"
                "                       pid:1\n"
                "                       tid:2\n"
                "                      path:/dev/null"
            ),
        ),
        (
            (5, 7),
            words(1, 0x1000, 1, 0x2000, 0, 0),
            (
                "SYSTEM  :MUNMAP         \n"
                "                       pid:1\n"
                "                     vaddr:0x100001000\n"
                "                       len:0x2000"
            ),
        ),
        ((6, 7), text("hello world"), 'USREVENT:EVENT:7 STR:"hello world"'),
        (
            (31, 1),
            words(1, 2, 3, 4),
            (
                "APP31   :EVENT_1      \n"
                "                        d0:0x00000001\n"
                "                        d1:0x00000002\n"
                "                        d2:0x00000003\n"
                "                        d3:0x00000004"
            ),
        ),
    ],
)
def test_events_of_many_words(kind: tuple[int, int], payload: bytes, expected: str) -> None:
    assert line(Row(0, kind, payload=payload)) == expected


def test_one_line_puts_all_words_behind_each_other() -> None:
    row = Row(0, (4, 192), payload=words(1, 2) + text("init"))
    assert line(row, one_line=True) == "PROCESS :PROCCREATE_NAME ppid:1 pid:2 name:init"


def test_a_failed_exit_has_no_line_end() -> None:
    failed = Row(1, (2, 128 + 80), (0xFFFFFFFF, 11))
    one = exporter()
    glued = [
        *one.lines(columns([failed, Row(2, (6, 1), (0, 0)), failed])),
        *one.tail(),
    ]
    assert glued == [
        (
            "t:0x00000001 CPU:00 KER_EXIT:SYNC_MUTEX_LOCK/80 ret_val:-1, errno:11"
            "t:0x00000002 CPU:00 USREVENT:EVENT:1, d0:0x00000000 d1:0x00000000"
        ),
        "t:0x00000001 CPU:00 KER_EXIT:SYNC_MUTEX_LOCK/80 ret_val:-1, errno:11",
    ]
    assert list(one.tail()) == []


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        # The words of our reference kernel differ from those of QNX.
        (
            Row(0, (2, 80), (0x20000100, 50)),
            "KER_CALL:SYNC_MUTEX_LOCK/80 mutex:0x20000100 timeout:50",
        ),
        (Row(0, (2, 102), (5, 0)), "KER_CALL:THREAD_SLEEP/102 ticks:5 empty:0x00000000"),
        (
            Row(0, (2, 128 + 102), (0, 0)),
            "KER_EXIT:THREAD_SLEEP/102 result:0 detail:0x00000000",
        ),
        (
            Row(0, (3, 3), (24, 0x100)),
            ("INT_HANDLER_ENTR:0x00000018 (24)       PID:0 IP:0x00000100 AREA:0x00000000"),
        ),
        (Row(0, (9, 0), (1, 2)), "SCHED   :CONTEXT_SWITCH prev_tid:1 next_tid:2"),
        (
            Row(0, (2, 81), payload=words(0x20000100, 0, 0, 0, 7, 12)),
            (
                "KER_CALL:SYNC_MUTEX_UNLOCK/81\n"
                "                     mutex:0x20000100\n"
                "                     empty:0x00000000\n"
                "                     empty:0x00000000\n"
                "                     empty:0x00000000\n"
                "                    caller:7\n"
                "           caller_priority:12"
            ),
        ),
        (
            Row(0, (4, 13), payload=words(0, 7, 12, 1, 0x20000100)),
            "THREAD  :THMUTEX       pid:0 tid:7 priority:12 policy:1",
        ),
        (
            Row(0, (4, 24), payload=words(0, 7, 12, 1, 0x100)),
            (
                "THREAD  :THCREATE     \n"
                "                       pid:0\n"
                "                       tid:7\n"
                "                  priority:12\n"
                "                    policy:1\n"
                "                     entry:0x100"
            ),
        ),
        (
            Row(0, (5, 8), payload=words(2, 0x20000000) + b"bus"),
            (
                "SYSTEM  :MAPNAME        \n"
                "                      kind:2\n"
                "                    object:0x20000000\n"
                "                      text:bus"
            ),
        ),
    ],
)
def test_events_of_our_own(row: Row, expected: str) -> None:
    assert line(row, foreign=False) == expected


def test_time_cpu_and_big_endian_words() -> None:
    part = columns([Row(0x1_2345_6789, (2, 12), payload=struct.pack(">4I", 1, 2, 3, 4), cpu=3)])
    big = replace(part, byte_order=ByteOrder.BIG)
    (found,) = exporter(one_line=True).lines(big)
    # The bytes of a message keep their order; numbers are converted from big-endian.
    assert found == (
        "t:0x23456789 CPU:03 KER_CALL:MSG_SENDVNC/12 coid:0x00000001 sparts:2 rparts:3 "
        'msg:"" (0x04000000)'
    )


def test_losses_and_resets_are_told() -> None:
    one = exporter()
    first = list(one.lines(columns([Row(0)], [gap(0, 3)]), np.zeros(1, bool)))
    assert first == ["-- 3 records missing on cpu 0, stream 0: 3 dropped, 0 overwritten, 0 damaged"]
    assert next(iter(one.lines(columns([Row(0)], epoch=1)))) == "-- the target was reset"


def test_the_header() -> None:
    header = {"HEADER_BEGIN": "", "FILE_NAME": "/fs/tracebuffer.kev", "HEADER_END": ""}
    assert list(head_lines(header)) == [
        "TRACEPRINTER version 1.02",
        "TRACEPARSER LIBRARY version 1.02",
        " -- HEADER FILE INFORMATION -- ",
        "       TRACE_FILE_NAME:: /fs/tracebuffer.kev",
        " -- KERNEL EVENTS -- ",
    ]


def test_the_table_of_calls_is_whole() -> None:
    calls = qnx_calls()
    assert len(calls) == 80
    assert calls[101].name == "BAD"
    fast = [
        sum(word.fast for word in side)
        for call in calls.values()
        for side in (call.enter, call.exit)
    ]
    assert max(fast) == 2
    assert [word.name for word in arguments("*INFO13")][:2] == ["nd", "srcnd"]
    assert [word.fast for word in arguments("*INFO13")] == [True] + [False] * 12
