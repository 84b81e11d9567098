"""The example linux_and_rt: tasks of a target and Linux processes trace into one stream.

The programs of examples/linux_and_rt use only <trace.h> and the stream's public name. They run
as separate processes at a broker; the tasks run in the native firmware and in QEMU.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

import pytest

from tests.support.command import COMMAND
from tests.support.kiwi import read_kiwi
from tickertape.analysis.balance import balance_of
from tickertape.broker.outbox import RECORDS
from tickertape.control import ControlClient
from tickertape.control.channel import LinkChannel
from tickertape.decode.frames import FrameDecoder
from tickertape.link import open_link
from tickertape.protocol.wire import Command, StreamAttribute
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.command import Command as Run

ROOT = Path(__file__).parents[2]
HANDLER = Path(__file__).with_name("handler_driver.c")
EXAMPLES = ROOT / "examples/linux_and_rt"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wmissing-prototypes", "-Werror"]
WAIT_S = 100.0
TIMES, LINUX_TIMES = 10, 5
FOREVER_MS = 3_600_000
WORK_PERCENT = 3
HANDLER_TIMES = 200
STREAM = 1  # stream 0 belongs to the kernel trace facility
EINVAL, ESRCH = 22, 3
NAMES = ("user event char", "user event int", "user event string", "user event linux")


@dataclass(frozen=True)
class Programs:
    """Paths of the built programs, and the environment in which they find the library."""

    target: Path
    analyzer: Path
    handler: Path
    environment: dict[str, str]


def build(folder: Path, sanitizer: str, *, static: bool) -> Programs:
    """Build the library, then the programs with the flags of its pkg-config file."""
    out = folder / "posix"
    make = ["make", "-s", "-C", str(ROOT / "host/posix"), f"OUT={out}", f"SANITIZE={sanitizer}"]
    subprocess.run(make, check=True)
    if static:
        (out / "libposixtrace.so").unlink()
    flags = (out / "libposixtrace.pc").read_text()
    found = dict(re.findall(r"^(prefix=|Cflags: |Libs: )(.*)$", flags, re.MULTILINE))
    words = [
        word.replace("${prefix}", found["prefix="])
        for key in ("Cflags: ", "Libs: ")
        for word in found[key].split()
    ]
    extra = ["-std=c11", "-D_GNU_SOURCE", "-g", *WARNINGS]
    extra += [f"-fsanitize={sanitizer}"] if sanitizer else []
    programs = []
    sources = [EXAMPLES / "linux_target.c", EXAMPLES / "linux_analyzer.c", HANDLER]
    for source in sources:
        program = folder / source.stem
        command = ["gcc", *extra, str(source), *words, "-o", str(program)]
        subprocess.run(command, check=True)
        programs.append(program)
    target, analyzer, handler = programs
    return Programs(target, analyzer, handler, {"LD_LIBRARY_PATH": str(out)})


@pytest.fixture(scope="module", params=["", "thread"])
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Programs:
    sanitizer: str = request.param
    return build(tmp_path_factory.mktemp("programs"), sanitizer, static=sanitizer == "")


def start(programs: Programs, socket: Path, program: Path, *words: str) -> subprocess.Popen[str]:
    environment = {**os.environ, **programs.environment, "TICKERTAPE_BROKER": f"unix:{socket}"}
    return subprocess.Popen(
        [program, *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


class Tasks:
    """The tasks of the target at a broker."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket

    def see_buffers(self, count: int) -> None:
        """Wait until the broker has forwarded `count` buffers."""
        decoder = FrameDecoder()
        with closing(open_link(f"unix:{self.socket}")) as link:
            while count > 0:
                assert not link.at_end
                decoder.receive(link.read(1 << 16, WAIT_S))
                count -= sum(one.type in RECORDS for one in decoder.frames())

    def wait_until(self, *, running: bool) -> None:
        """Wait until the stream records (`running`) or has stopped."""
        with closing(open_link(f"unix:{self.socket}")) as link:
            client = ControlClient(LinkChannel(link), stream=STREAM, patience_s=WAIT_S)
            state = 1 - running
            while state & 1 != running:
                state = client.call(Command.STREAM_ATTRIBUTE, StreamAttribute.STATE).value0

    def end(self) -> None:
        """Report to the tasks that the Linux side is done; they shut the stream down."""
        with closing(open_link(f"unix:{self.socket}")) as link:
            client = ControlClient(LinkChannel(link), patience_s=WAIT_S)
            client.call(Command.EVENT_OPEN, payload=b"linux has done")


@contextmanager
def served(folder: Path, target: str, *, times: int = TIMES) -> Iterator[Tasks]:
    """Run the tasks at a broker until the tasks end; the block has to call `Tasks.end`."""
    words = ["serve", "--target", target, "--example", "linux_and_rt", "--realtime"]
    # Tasks use processor time: on a busy machine, more work would leave no time for the drain, and
    # the target would answer no command.
    options = {"times": times, "wait_ms": 0, "after_ms": FOREVER_MS, "work": WORK_PERCENT}
    words += [f"--option={name}={value}" for name, value in options.items()]
    words += ["--socket", "s", "-o", "t.tape"]
    with subprocess.Popen(
        [COMMAND, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "serving at unix:s\n"
        try:
            yield Tasks(folder / "s")
            out, err = process.communicate(timeout=WAIT_S)
        finally:
            process.send_signal(signal.SIGTERM)
    assert (process.returncode, err) == (0, "")
    assert out.startswith("t.tape: ")


def ended(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=WAIT_S)
    assert (process.returncode, err) == (0, "")
    return out


class Reading:
    """A program whose output the test reads while it runs."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._text = ""

    @property
    def _out(self) -> TextIO:
        out = self._process.stdout
        assert out is not None
        return cast("TextIO", out)

    def until(self, line: str) -> None:
        """Wait for a line."""
        with self._limit():
            for text in self._out:
                self._text += text
                if text.rstrip() == line:
                    return
        pytest.fail(f"no {line!r} in {self._text!r}")

    def rest(self) -> str:
        """Wait for the program's end; return its whole output."""
        with self._limit():
            self._text += self._out.read()
            assert self._process.stderr is not None
            assert self._process.stderr.read() == ""
            assert self._process.wait() == 0
        self._out.close()
        self._process.stderr.close()
        return self._text

    @contextmanager
    def _limit(self) -> Iterator[None]:
        limit = threading.Timer(WAIT_S, self._process.kill)
        limit.start()
        yield
        limit.cancel()


@dataclass(frozen=True)
class Printed:
    """An event as printed by the analyzer."""

    id: int
    pid: int
    time: float
    thread: int
    name: str
    data: str
    data_len: int


def events_of(out: str) -> list[Printed]:
    found = []
    for text in out.split(" ** New event -")[1:]:
        values = dict(re.findall(r"^ ([A-Za-z ]+?)(?: \([a-z]+\))? += (.*)$", text, re.MULTILINE))
        assert values["Truncation status"] == "0"
        found.append(
            Printed(
                int(values["Event identifier"]),
                int(values["Process ID"]),
                float(values["Timestamp"]),
                int(values["Thread ID"]),
                values["Event Name"],
                values.get("Data", "").rstrip("\0"),
                int(values["Data length"]),
            )
        )
    return found


@pytest.mark.parametrize("target", ["native", "qemu"])
def test_both_sides_trace_into_one_stream(programs: Programs, tmp_path: Path, target: str) -> None:
    with served(tmp_path, target) as tasks:
        socket = tasks.socket
        analyzers = [Reading(start(programs, socket, programs.analyzer)) for _ in range(2)]
        for analyzer in analyzers:
            analyzer.until("Now retrieving events:")
        sides = [start(programs, socket, programs.target, str(LINUX_TIMES), "50") for _ in range(2)]
        for side in sides:
            assert ended(side) == ""
        tasks.end()
        outs = [analyzer.rest() for analyzer in analyzers]
    results = [events_of(out) for out in outs]
    for out in outs:
        assert "get name (0): trace_stream1\n" in out
        assert "get full policy (0): 1\n" in out  # UNTIL_FULL
        assert "event getname (0): posix_trace_start\n" in out
        assert out.endswith(f"No more events ({EINVAL}). Exiting\n")
    # The first analyzer gets everything that the stream held, the second one the events after that.
    events, others = sorted(results, key=len, reverse=True)
    assert events[len(events) - len(others) :] == others
    by_task = [event for event in events if event.pid == 1]
    assert [event.data for event in by_task if event.name == "user event char"] == list(
        "ABCDEFGHIJ"
    )
    numbers = [int(event.data) for event in by_task if event.name == "user event int"]
    assert numbers == list(range(TIMES))
    texts = [event.data for event in by_task if event.name == "user event string"]
    assert texts == ["RT-Linux says: Hello world!"] * TIMES
    assert {event.data_len for event in by_task} == {1, 4, 32}
    for side in sides:
        ours = [event for event in events if event.pid == side.pid]
        assert [(event.name, event.data) for event in ours] == [
            pair
            for number in range(LINUX_TIMES)
            for pair in (
                ("user event linux", str(number)),
                ("user event string", "Linux says: Hello world!"),
            )
        ]
    assert len(events) == 3 * TIMES + 2 * 2 * LINUX_TIMES
    # Tasks and processes have the same type for a name, and time never steps back.
    assert len({event.id for event in events if event.name == "user event string"}) == 1
    assert len({event.id for event in events}) == len(NAMES)
    assert [event.time for event in events] == sorted(event.time for event in events)
    check_tape(tmp_path / "t.tape", events)


def check_tape(tape: Path, events: list[Printed]) -> None:
    """Check the broker's tape: the same events, the host bit in those of processes, no loss."""
    with TapeReader(tape) as reader:
        balance = balance_of(reader)
        assert balance.contradictions == ()
        ours = [ring for ring in balance.rings if ring.ring.stream == STREAM]
        assert [ring.final for ring in ours] == [True]
        terms = ours[0].balance
        assert terms.holds
        assert (terms.overwritten, terms.dropped, terms.damaged) == (0, 0, 0)
        taped = [
            event
            for part in iter_events(reader, stream=STREAM)
            for event in part.events()
            if event.name.startswith("USER.")
        ]
    assert [event.host for event in taped] == [event.pid != 1 for event in events]
    assert Counter(32 + event.event for event in taped) == Counter(event.id for event in events)


def test_the_kernel_trace_facility_beside_it(tickertape: Run, tmp_path: Path) -> None:
    with served(tmp_path, "native", times=0) as tasks:
        done = tickertape("control", "unix:s", "attach", "rtl_ktrace")
        assert (done.stderr, done.stdout) == ("", "attach rtl_ktrace: stream 0\n")
        done = tickertape("control", "unix:s", "attach", "trace_stream8")
        assert done.returncode == 8
        assert "it has no stream of this name now" in done.stderr
        tasks.see_buffers(50)
        tasks.end()
    done = tickertape("ktrace", "t.tape", "-o", "t.tra")
    assert (done.returncode, done.stderr) == (0, "")
    assert " system events of stream 0 on " in done.stdout
    file = read_kiwi(tmp_path / "t.tra")
    executed = file.intervals("EXEC")
    lines = {name: line for line, name in file.names.items()}
    assert {"writer", "execute1", "execute2", "execute3", "kernel", "idle"} <= lines.keys()
    assert all(executed[lines[name]] for name in ("execute1", "execute2", "execute3"))
    assert {event.text for event in file.events if event.type == "LOCK"} == {"mutex"}
    with TapeReader(tmp_path / "t.tape") as reader:
        assert balance_of(reader).total.holds


def test_the_kernel_trace_facility_is_followed_as_it_happens(
    tickertape: Run, tmp_path: Path
) -> None:
    words = [str(COMMAND), "ktrace", "unix:s", "--follow", "-o", "live.tra"]
    with served(tmp_path, "native", times=0) as tasks:
        live = subprocess.Popen(
            words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        tasks.see_buffers(50)  # the command has attached the stream
        early = tmp_path / "live.tra"
        deadline = time.monotonic() + WAIT_S
        while not early.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        shown = early.exists() and read_kiwi(early).intervals("EXEC")
        tasks.end()
        try:
            out, err = live.communicate(timeout=WAIT_S)
        finally:
            live.kill()
    assert shown
    assert (live.returncode, err) == (0, "")
    assert " system events of stream 0 on " in out
    assert tickertape("ktrace", "t.tape", "-o", "t.tra").returncode == 0
    with TapeReader(tmp_path / "t.tape") as reader:
        assert balance_of(reader).total.holds
    # The broker's tape and the command's output both begin when the stream was attached.
    assert (tmp_path / "live.dbg").read_text() == (tmp_path / "t.dbg").read_text()


def test_a_signal_handler_does_not_wait_for_its_own_thread(
    programs: Programs, tmp_path: Path
) -> None:
    with served(tmp_path, "native") as tasks:
        analyzer = Reading(start(programs, tasks.socket, programs.analyzer))
        analyzer.until("Now retrieving events:")
        assert ended(start(programs, tasks.socket, programs.handler)) == "1\n"
        tasks.end()
        events = events_of(analyzer.rest())
    assert [event.name for event in events].count("of main") == HANDLER_TIMES
    numbers = [event.time for event in events if event.name == "of main"]
    assert numbers == sorted(numbers)


def test_a_stream_that_was_full_goes_on_when_a_host_has_read_it(
    programs: Programs, tmp_path: Path
) -> None:
    with served(tmp_path, "native", times=1) as tasks:
        before = start(programs, tasks.socket, programs.target, "200", "1")
        assert ended(before) == ""
        tasks.wait_until(running=False)
        analyzer = Reading(start(programs, tasks.socket, programs.analyzer))
        tasks.wait_until(running=True)
        after = start(programs, tasks.socket, programs.target, str(LINUX_TIMES), "1")
        assert ended(after) == ""
        tasks.end()
        events = events_of(analyzer.rest())
    # The stream kept the events before it became full, and those after the host had read it.
    kept = [int(one.data) for one in events if one.pid == before.pid and "linux" in one.name]
    assert kept == list(range(len(kept)))
    assert 10 < len(kept) < 200
    again = [int(one.data) for one in events if one.pid == after.pid and "linux" in one.name]
    assert again == list(range(LINUX_TIMES))
    with TapeReader(tmp_path / "t.tape") as reader:
        terms = next(one.balance for one in balance_of(reader).rings if one.ring.stream == STREAM)
    # The record without room stopped the stream; a stopped stream is offered no records.
    assert terms.holds
    assert (terms.overwritten, terms.damaged) == (0, 0)
    assert terms.dropped > 0


def test_a_stream_that_is_not_there(programs: Programs, tmp_path: Path) -> None:
    analyzer = start(programs, tmp_path / "none", programs.analyzer)
    out, err = analyzer.communicate(timeout=WAIT_S)
    assert (analyzer.returncode, out) == (1, "")
    assert err == f"ERROR {ESRCH} while creating stream trace_stream1\n"
    # Without a target, tracing has no effect.
    side = start(programs, tmp_path / "none", programs.target, "2", "1")
    assert ended(side) == ""
    with served(tmp_path, "native") as tasks:
        analyzer = start(programs, tasks.socket, programs.analyzer, "trace_stream7")
        out, err = analyzer.communicate(timeout=WAIT_S)
        tasks.end()
    assert err == f"ERROR {ESRCH} while creating stream trace_stream7\n"


def test_a_target_that_dies_ends_the_stream(programs: Programs, tmp_path: Path) -> None:
    words = ["serve", "--target", "native", "--example", "linux_and_rt", "--realtime"]
    words += ["--option=after_ms=600000", "--socket", "s", "-q"]
    with subprocess.Popen([COMMAND, *words], cwd=tmp_path, stderr=subprocess.PIPE) as process:
        analyzer = None
        while analyzer is None:
            assert process.poll() is None
            if (tmp_path / "s").exists():
                analyzer = start(programs, tmp_path / "s", programs.analyzer)
                if analyzer.stdout is not None and not analyzer.stdout.readline():
                    analyzer.communicate()
                    analyzer = None
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WAIT_S)
        assert process.returncode == 0
    assert ended(analyzer).endswith(f"No more events ({EINVAL}). Exiting\n")


def test_the_example_runs_by_one_word(tmp_path: Path) -> None:
    """`make test` builds and runs the example, and fails if the broker cannot run the tasks."""
    make = ["make", "-C", str(EXAMPLES), "test", f"OUT={tmp_path}", f"TICKERTAPE={COMMAND}"]
    done = subprocess.run(make, capture_output=True, text=True, check=False, timeout=WAIT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\nok: " in done.stdout
    refused = subprocess.run(
        [*make, "TARGET=none"], capture_output=True, text=True, check=False, timeout=WAIT_S
    )
    assert refused.returncode != 0
    assert "FAILED: serve has ended" in refused.stdout
