"""A place is released however the process that holds it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.laboratory import BIN, ROOT, coordinator
from tests.support.patience import HANG_S
from tools import lab as environment

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.process


class Lab:
    """A coordinator with a place without a board."""

    def __init__(self, folder: Path, address: str, pid: int) -> None:
        self._folder = folder
        self._address = address
        self.pid = pid
        (folder / "lab.yaml").write_text(
            f"options: {{coordinator_address: '{address}'}}\ntargets: {{}}\n"
        )
        assert self.client("create") == 0

    def client(self, verb: str) -> int:
        command = [str(BIN / "labgrid-client"), "-x", self._address, "-p", "desk", verb]
        return subprocess.run(command, capture_output=True, timeout=HANG_S, check=False).returncode

    @contextmanager
    def holding(self, wait_s: float = 0) -> Iterator[subprocess.Popen[str]]:
        """Run a process that acquires the place and holds it until its standard input ends."""
        words = ("env", "--default-signal=INT", environment.python_of(), "-m", "tests.lab.session")
        with subprocess.Popen(
            [*map(str, words), "hold", "lab.yaml", "desk", str(wait_s)],
            cwd=self._folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(self._folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as started:
            assert fact(started) == {"begun": True}
            try:
                yield started
            finally:
                started.kill()


def fact(started: subprocess.Popen[str]) -> dict[str, object]:
    assert started.stdout is not None
    line = started.stdout.readline()
    assert line, started.stderr and started.stderr.read()
    found: dict[str, object] = json.loads(line)
    return found


@pytest.fixture(name="lab")
def fixture_lab(tmp_path: Path) -> Iterator[Lab]:
    with coordinator(tmp_path) as started:
        yield Lab(tmp_path, started.address, started.pid)


def test_a_place_that_was_left_taken_is_given_back(lab: Lab) -> None:
    with lab.holding() as killed:
        assert fact(killed) == {"held": "desk"}
        killed.kill()
        killed.wait()
    assert lab.client("acquire") != 0  # the place is still acquired
    with lab.holding() as other:
        assert fact(other) == {"held": "desk"}
        out, err = other.communicate("", timeout=HANG_S)
        assert (out, other.returncode) == ("", 0)
        assert err.startswith("place desk was left taken by a process that was killed: ")
    assert lab.client("acquire") == 0


def test_a_place_that_somebody_else_has_is_left_alone(lab: Lab) -> None:
    with lab.holding() as killed:
        assert fact(killed) == {"held": "desk"}
        killed.kill()
        killed.wait()
    assert lab.client("release") == lab.client("acquire") == 0  # acquired by hand
    with lab.holding() as other:
        refused = fact(other)["refused"]
    assert "place desk was not free within 0 s: " in str(refused)
    assert str(refused).endswith("end that client: labgrid-client -p desk release")
    assert lab.client("release") == 0
    with lab.holding() as first, lab.holding() as second:
        assert fact(first) == {"held": "desk"}
        assert "already acquired by another suite on this machine" in str(fact(second))


def test_ctrl_c_while_a_place_is_acquired_gives_it_back(lab: Lab) -> None:
    os.kill(lab.pid, signal.SIGSTOP)  # so that acquiring takes as long as the test wants
    with lab.holding() as started:
        children = Path(f"/proc/{started.pid}/task/{started.pid}/children")
        while not children.read_text():
            assert started.poll() is None
            time.sleep(0.01)
        started.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            started.wait(0.5)
        os.kill(lab.pid, signal.SIGCONT)
        assert started.wait(HANG_S) == 1
    assert lab.client("acquire") == 0
