"""A stream that is started again: each start ends with a final STATUS."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from tests.support.core_driver import PLAIN_PORT, build_driver
from tests.support.patience import HANG_S
from tickertape.decode.bodies import parse_status
from tickertape.decode.frames import FrameDecoder
from tickertape.protocol.wire import FrameType

if TYPE_CHECKING:
    from pathlib import Path

EVENTS = 20


def test_each_start_ends_with_a_final_status(tmp_path: Path) -> None:
    program = build_driver(tmp_path, "restart_driver.c", sources=[PLAIN_PORT])
    done = subprocess.run([program], capture_output=True, timeout=HANG_S, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    decoder = FrameDecoder()
    decoder.receive(done.stdout)
    receipts = [parse_status(one.body) for one in decoder.frames() if one.type == FrameType.STATUS]
    final = [one for one in receipts if one.final]
    assert [one.offered for one in final] == [EVENTS, 2 * EVENTS, 3 * EVENTS]
    assert all((one.dropped, one.overwritten) == (0, 0) for one in final)
    assert receipts[-1] is final[-1]
