"""The interface of xmtrace: call by call, and in the example `finalized` on both targets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import FIRMWARE, PLAIN_PORT, run_driver
from tickertape.analysis.summary import summary_of
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from tests.support.command import Command

HERE = Path(__file__).parent
TRAILER = re.compile(r"That was trace # (\d+) \(lost (\d+) traces befor this trace\)")
LEAST, MOST = 121, 128  # newest records kept of a buffer of 128


def test_the_interface(tmp_path: Path) -> None:
    options = ("TT_CONFIG_FINALIZE=1", "TT_CONFIG_DEFINITIONS=64", "TT_CONFIG_EVENT_MASKS=64")
    source = FIRMWARE / "facades" / "xm" / "xm_trace.c"
    run_driver(tmp_path, HERE / "xm_driver.c", *options, sources=[source, PLAIN_PORT])


@pytest.mark.parametrize("any_free", [0, 1])
@pytest.mark.parametrize("target", ["native", "qemu"])
def test_each_alarm_has_what_led_to_it(
    tickertape: Command, tmp_path: Path, target: str, any_free: int
) -> None:
    words = ("--example", "finalized", "--duration", "1", f"--option=any_free={any_free}")
    done = tickertape("run", "--target", target, *words, "-o", "t.tape")
    assert (done.returncode, done.stderr) == (0, "")
    with TapeReader(tmp_path / "t.tape") as reader:
        total = summary_of(reader).balance.total
    assert total.offered == total.delivered + total.overwritten
    assert total.overwritten > 0
    traces: list[list[str]] = [[]]
    for line in tickertape("print", "t.tape", "--style", "xm").stdout.splitlines():
        if not line.startswith("--"):
            traces[-1].append(line)
        if TRAILER.fullmatch(line):
            traces.append([])
    assert len(traces) >= 9
    for number, trace in enumerate(traces[:-1], 1):
        found = TRAILER.fullmatch(trace[-1])
        assert found is not None
        assert (int(found[1]), int(found[2])) == (number, 0)
        assert LEAST <= len(trace) <= MOST
        assert " alarm " in trace[-2]
        assert int(trace[-2].split()[3], 0) == number
        samples = [int(line.split()[3], 0) for line in trace[:-2]]
        assert samples == list(range(samples[0], samples[0] + len(samples)))
