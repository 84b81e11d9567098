"""POSIX Trace in Linux processes: threads, children, signals; also with sanitizers."""

from __future__ import annotations

import platform
import subprocess
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.posix.sides import HERE, ROOT, compile_program, make_library, run_program, suite_sources
from tickertape.analysis.summary import summary_of
from tickertape.protocol.wire import CHUNK_HEADER_BYTES, ChunkType
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

SANITIZERS = ["", "thread", "address,undefined"]


@pytest.fixture(scope="module", params=SANITIZERS, ids=lambda name: name or "plain")
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_library(tmp_path_factory.mktemp("library"), request.param)


def build(library: Path, name: str, *sources: Path) -> Path:
    sanitize = library.name.removeprefix("posix").removeprefix("-").replace("-", ",")
    options = [f"-fsanitize={sanitize}"] if sanitize else []
    program = library / name
    return compile_program(library, [*sources, HERE / f"linux/{name}.c"], program, *options)


@pytest.mark.parametrize(
    "words", [("readers", "700"), ("readers", "4000", "1"), ("family",), ("signals",)], ids=" ".join
)
def test_program(library: Path, words: tuple[str, ...]) -> None:
    done = run_program(build(library, words[0]), *words[1:])
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_the_suite(library: Path, tmp_path: Path) -> None:
    done = run_program(build(library, "main", *suite_sources()), str(tmp_path))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_a_log_is_a_tape(tmp_path: Path) -> None:
    library = make_library(tmp_path)
    done = run_program(build(library, "main", *suite_sources()), str(tmp_path))
    assert done.returncode == 0
    for name in ("log0.tape", "log1.tape"):
        with TapeReader(tmp_path / name) as reader:
            summary = summary_of(reader)
        total = summary.balance.total
        assert total.offered == total.delivered + total.overwritten + total.dropped
        assert total.damaged == 0
        assert summary.events == 20
        assert not summary.balance.contradictions


def test_a_log_that_cannot_be_written_is_an_event(tmp_path: Path) -> None:
    program = compile_program(
        make_library(tmp_path), [HERE / "linux/errors.c"], tmp_path / "errors"
    )
    done = run_program(program, str(tmp_path / "log.tape"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_process_without_a_place_is_an_error_of_the_stream(tmp_path: Path) -> None:
    done = run_program(
        compile_program(make_library(tmp_path), [HERE / "linux/crowd.c"], tmp_path / "crowd")
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="steps by a flag of that processor")
@pytest.mark.parametrize("optimise", ["-O0", "-O2"])
def test_a_child_that_is_killed_leaves_no_incomplete_record(tmp_path: Path, optimise: str) -> None:
    """At -O0, each word of a record is stored by a separate instruction."""
    library = make_library(tmp_path, optimise=optimise)
    firmware = ROOT / "firmware"
    folders = (firmware / "include", firmware / "core", ROOT / "host/posix")
    options = ['-DTT_CONFIG_FILE="posix_config.h"', *(f"-I{folder}" for folder in folders)]
    program = compile_program(
        library, [HERE / "linux/killed.c"], tmp_path / "killed", "-fno-pie", "-no-pie", *options
    )
    done = run_program(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_library_is_found_by_pkg_config(tmp_path: Path) -> None:
    library = make_library(tmp_path)
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "libposixtrace"],
        env={"PKG_CONFIG_PATH": str(library), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    source = HERE / "linux/family.c"
    command = ["gcc", "-D_GNU_SOURCE", str(source), f"-I{HERE}", *flags, "-o", str(tmp_path / "a")]
    subprocess.run([*command, f"-Wl,-rpath,{library}"], check=True)
    assert run_program(tmp_path / "a").returncode == 0


def test_the_example(tmp_path: Path) -> None:
    library = make_library(tmp_path)
    source = ROOT / "host/posix/examples/doors.c"
    program = compile_program(library, [source], tmp_path / "doors")
    done = run_program(program, str(tmp_path / "doors.tape"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "- posix_trace_start ",
        "parent door opened front",
        "parent door opened garage",
        "child door opened back",
        "child door opened cellar",
        "child door opened garden",
        "- posix_trace_stop ",
    ]
    with TapeReader(tmp_path / "doors.tape") as reader:
        assert summary_of(reader).balance.total.damaged == 0


def test_a_damaged_chunk_of_a_log_is_left_out_by_both_readers(library: Path) -> None:
    """If one bit of a chunk is flipped, both readers skip its records and report the damage."""
    program, log = build(library, "damaged"), library / "damaged.tape"
    assert run_program(program, str(log), "write").stdout == ""
    good = log.read_bytes()
    with TapeReader(log) as reader:
        chunks = reader.chunks[reader.chunks["type"] == ChunkType.RECORDS]
        places = [(int(c["offset"]) + CHUNK_HEADER_BYTES, int(c["body_bytes"])) for c in chunks]
    assert len(places) == 6
    rng = Random(1)
    for number, (begin, size) in enumerate(places):
        data = bytearray(good)
        data[begin + rng.randrange(size)] ^= 1 << rng.randrange(8)
        log.write_bytes(data)
        with TapeReader(log) as reader:
            kept = sum(len(chunk.records) for chunk in reader.records_chunks())
            assert [issue for issue in reader.issues if "CRC is wrong" in str(issue)]
        done = run_program(program, str(log), "read")
        assert (done.returncode, done.stderr) == (0, "")
        lines = done.stdout.splitlines()
        numbers = [int(line.split()[0]) for line in lines if line.endswith(" 4")]
        assert numbers == [n for n in range(120) if n // 20 != number]
        assert kept < reader.record_count
        assert lines.count("overflow") == (number != len(places) - 1)
        assert lines[-1] == "overrun 1"
