"""`import kev` and `export kev` as processes, on hand-written files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.kev_bytes import Kev, header, read

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

EXPECTED = """\
TRACEPRINTER version 1.02
TRACEPARSER LIBRARY version 1.02
 -- HEADER FILE INFORMATION -- 
       TRACE_FILE_NAME:: /fs/tracebuffer.kev
            TRACE_DATE:: Fri Jul  9 14:44:03 2010
       TRACE_VER_MAJOR:: 1
       TRACE_VER_MINOR:: 01
   TRACE_LITTLE_ENDIAN:: TRUE
        TRACE_ENCODING:: 16 byte events
       TRACE_BOOT_DATE:: Fri Jul  9 14:40:00 2010
  TRACE_CYCLES_PER_SEC:: 1000000000
         TRACE_CPU_NUM:: 2
         TRACE_SYSNAME:: QNX
        TRACE_NODENAME:: localhost
     TRACE_SYS_RELEASE:: 6.5.0
     TRACE_SYS_VERSION:: 2010/07/09-14:44:03EDT
         TRACE_MACHINE:: x86pc
     TRACE_SYSPAGE_LEN:: 0
TRACE_TRACELOGGER_ARGS:: tracelogger -s1
 -- KERNEL EVENTS -- 
t:0x000003e8 CPU:00 CONTROL: BUFFER sequence = 1, num_events = 7
t:0x000003eb CPU:00 CONTROL :TIME msb:0x00000005 lsb(offset):0x000003e8
t:0x000003e9 CPU:00 PROCESS :PROCCREATE_NAME
                      ppid:1
                       pid:2
                      name:proc/boot/procnto
t:0x000003ea CPU:00 KER_EXIT:SCHED_GET/88 ret_val:2 sched_priority:10
t:0x000003eb CPU:00 KER_EXIT:MSG_RECEIVEV/14 ret_val:-1, errno:4t:0x000003ec CPU:00 COMM    :REC_PULSE     scoid:0x40000003 pid:364659
"""  # noqa: E501, W291 - lines as they are printed


def sample() -> bytes:
    kev = Kev()
    kev.buffer(1, 5 << 32 | 1000, count=7)
    kev.time(5 << 32 | 1000)
    kev.combine(5 << 32 | 1001, 4, 192, kev.words(1, 2) + b"proc/boot/procnto\0")
    kev.simple(5 << 32 | 1002, 2, 128 + 88, 2, 10)
    kev.simple(5 << 32 | 1003, 2, 128 + 14, -1, 4)
    kev.simple(5 << 32 | 1004, 7, 3, 0x40000003, 364659)
    return kev.bytes()


def test_import_and_print_as_the_original_does(tickertape_inside: Command, tmp_path: Path) -> None:
    (tmp_path / "t.kev").write_bytes(sample())
    done = tickertape_inside("import", "kev", "t.kev", "-o", "t.tape")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "t.tape: 9 records of 1 CPUs\n"
    assert tickertape_inside("print", "t.tape", "--style", "qnx").stdout == EXPECTED
    assert "PROCCREATE" not in tickertape_inside("print", "t.tape", "--class", "COMM").stdout


def test_there_and_back(tickertape_inside: Command, tape: Path, tmp_path: Path) -> None:
    done = tickertape_inside("export", "kev", tape, "-o", "t.kev")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "t.kev: 81 events\n")
    keys, records = read((tmp_path / "t.kev").read_bytes())
    assert keys["NODENAME"] == "simulated"
    assert tickertape_inside("import", "kev", "t.kev", "-o", "u.tape", "-q").stdout == ""
    for style in ("text", "jsonl"):
        before, after = (
            tickertape_inside("print", path, "--style", style, "--class", "USER").stdout
            for path in (tape, "u.tape")
        )
        if style == "text":
            assert before == after
        assert before.count("\n") == after.count("\n") == 20
    assert len(records) == 85


def test_losses_and_a_cut_end_are_said(tickertape_inside: Command, tmp_path: Path) -> None:
    kev = Kev()
    kev.buffer(1, 1000)
    kev.buffer(9, 2000)
    (tmp_path / "t.kev").write_bytes(kev.bytes() + b"12345")
    done = tickertape_inside("import", "kev", "t.kev", "-o", "t.tape")
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert "ends within a record, its last 5 bytes are left out; " in line
    assert "losses at 1 places, but not how many records" in done.stdout
    info = tickertape_inside("info", "t.tape").stdout
    assert "The number of records lost is unknown at 1 place." in " ".join(info.split())
    text = tickertape_inside("print", "t.tape").stdout.splitlines()
    assert text[1] == "-- an unknown number of records missing on cpu 0, stream 0"
    tables = tickertape_inside("print", "t.tape", "--style", "csv").stdout
    assert ",unknown\n" in tables
    done = tickertape_inside("export", "kev", "t.tape", "-o", "u.kev")
    assert "missing at 1 places" in done.stdout


def test_what_is_no_such_file_is_one_line(
    tickertape_inside: Command, tmp_path: Path, tape: Path
) -> None:
    (tmp_path / "cut.kev").write_bytes(header()[:100])
    for file, code, part in (
        (tape, 4, "it is a tape; type: tickertape info "),
        ("none.kev", 4, "there is no file none.kev; "),
        ("cut.kev", 4, "ends within its header; "),
    ):
        done = tickertape_inside("import", "kev", file, "-o", "t.tape")
        assert (done.returncode, done.stdout) == (code, "")
        (line,) = done.stderr.splitlines()
        assert part in line
        assert not (tmp_path / "t.tape").exists()
    assert tickertape_inside("export", "kev", tape, "-o", ".").returncode == 4
    assert tickertape_inside("export", "kev", tape, "-o", "x", "--epoch", "one").returncode == 2
    assert tickertape_inside("export", "xml", tape, "-o", "x").returncode == 2
