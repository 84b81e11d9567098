"""Files of a growing tape equal those of the finished tape, and are written before its end."""

from __future__ import annotations

import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.command import COMMAND
from tests.support.kiwi import read_kiwi
from tickertape.analysis.balance import balance_of
from tickertape.errors import UsageError
from tickertape.formats.ktrace.follow import FollowedKtrace
from tickertape.formats.ktrace.write import export_ktrace
from tickertape.formats.source import Source
from tickertape.tape import TapeReader
from tickertape.tape.tail import TapeTail

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

PIECES = 17
HANG_S = 100.0


@pytest.fixture(scope="module", params=["native", "qemu-dual"])
def tape(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    words = ["--target", request.param, "--example", "philosophers", "--duration", "5", "-q"]
    subprocess.run([COMMAND, "run", *words, "-o", "t.tape"], cwd=folder, check=True)
    return folder / "t.tape"


def test_both_files_are_those_of_the_whole_tape(tape: Path, tmp_path: Path) -> None:
    with TapeReader(tape) as reader:
        assert balance_of(reader).total.holds
        whole = export_ktrace(Source(reader), tmp_path / "whole.tra", svg=tmp_path / "whole.svg")
    data = tape.read_bytes()
    grown = tmp_path / "t.tape"
    step = len(data) // PIECES + 1
    grown.write_bytes(data[:step])
    seen = []
    with (
        TapeTail(grown) as tail,
        FollowedKtrace(tail, tmp_path / "t.tra", svg=tmp_path / "t.svg") as followed,
    ):
        for end in range(2 * step, len(data) + step, step):
            followed.look()
            seen.append((tmp_path / "t.dbg").stat().st_size)
            with grown.open("ab") as file:
                file.write(data[end - step : end])
        followed.look()
        report = followed.finish()
        assert tail.ended
    assert report.counts == whole.counts
    for name in ("t.tra", "t.dbg", "t.svg"):
        assert (tmp_path / name).read_bytes() == (
            tmp_path / name.replace("t.", "whole.", 1)
        ).read_bytes()
    assert len(set(seen)) >= 2  # the file grew with the tape


def test_the_command_writes_while_the_tape_grows_and_ends_by_ctrl_c(
    tape: Path, tmp_path: Path
) -> None:
    data = tape.read_bytes()
    (tmp_path / "t.tape").write_bytes(data[: len(data) * 3 // 4])
    words = [str(COMMAND), "ktrace", "t.tape", "--follow", "-o", "t.tra"]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + HANG_S
        while not (tmp_path / "t.tra").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=HANG_S)
        finally:
            process.kill()
    assert (process.returncode, err) == (0, "")
    assert out.startswith("t.tra, t.dbg: ")
    assert " system events of stream 0 on " in out
    assert read_kiwi(tmp_path / "t.tra").intervals("EXEC")


def test_a_closed_tape_is_exported(tickertape: Command, tape: Path, tmp_path: Path) -> None:
    done = tickertape("ktrace", str(tape), "--follow", "-o", "t.tra")
    assert (done.returncode, done.stderr) == (0, "")
    assert read_kiwi(tmp_path / "t.tra").intervals("EXEC")


def test_what_is_refused(tickertape: Command, tmp_path: Path) -> None:
    done = tickertape("ktrace", "tcp://localhost:1", "-o", "t.tra")
    assert done.returncode == UsageError.exit_code
    assert done.stderr.endswith("add --follow to write what comes, or capture it first\n")
    (tmp_path / "empty").write_bytes(b"")
    done = tickertape("ktrace", "file:empty", "--follow", "-o", "t.tra")
    assert done.returncode == UsageError.exit_code
    assert "has brought no event of the kernel trace; see docs/ktrace.md" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"empty"}
    with pytest.raises(UsageError, match="cannot be both files"):
        FollowedKtrace(TapeTail.__new__(TapeTail), tmp_path / "t.dbg")
