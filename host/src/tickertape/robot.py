"""Robot Framework keywords: run, capture and control a target, and check the tape.

    *** Settings ***
    Library    tickertape.robot

    *** Test Cases ***
    Nothing Is Lost
        Start Target             qemu    first_tape    duration=2
        Capture For              T.tape
        No Event Should Be Lost  T.tape

The keywords work with Robot Framework 6.1, which is part of renode-test, and 7. In renode-test,
Renode is the target: open its link with `Start Capture`. A failing keyword reports the cause in one
line.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from robot.api import logger
from robot.api.deco import keyword, library

from tickertape.analysis.balance import TapeBalance, balance_of
from tickertape.api.recording import Recording
from tickertape.api.tape import Tape
from tickertape.cli.inside import command
from tickertape.link import open_link
from tickertape.tape import TapeReader
from tickertape.targets import find_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape.collector import CaptureResult
    from tickertape.targets.base import Run

_WAIT_S: Final = 100.0
_COUNTED: Final = re.compile(r"^offered (\d+) (\d+) (\d+)\r?$", re.MULTILINE)


@library(scope="TEST", auto_keywords=False)
class Keywords:
    """The keywords; one object per test."""

    ROBOT_LISTENER_API_VERSION: ClassVar = 3

    def __init__(self) -> None:
        """Begin without a target."""
        self.ROBOT_LIBRARY_LISTENER = self  # Robot Framework calls end_test()
        self._run: Run | None = None
        self._capture: Recording | None = None
        self._captured: Run | None = None

    def end_test(self, data: object, result: object) -> None:
        """Stop a capture and a target that the test left running. Robot Framework calls this."""
        del data, result
        capturing, self._capture = self._capture, None
        if capturing is not None:
            capturing.stop()
            _waited(capturing, _WAIT_S)
        run, self._run = self._run, None
        if run is not None:
            run.__exit__(None, None, None)

    @keyword("Start Target")
    def start_target(
        self, target: str, example: str, duration: float | None = None, **options: int
    ) -> None:
        """Build an example and start it on a target; `Capture For` or `Start Capture` reads it.

        `target` is a name that `tickertape targets` lists. The target ends by itself after
        `duration` seconds of its own time. Further NAME=N are options of the example.
        """
        chosen = find_target(target)
        image = chosen.build(example)
        self._run = chosen.start(image, duration_s=duration, options=options)

    @keyword("Start Capture")
    def start_capture(self, tape: str, link: str | None = None, control: str | None = None) -> None:
        """Begin to capture to `tape`, from `link` or from the started target.

        `control` is the path of a Unix socket for `Send Control`.
        """
        if link is None:
            if self._run is None:
                raise AssertionError("no target runs: use Start Target, or give a link")
            opened = self._run.link
        else:
            opened = open_link(link)
        self._captured = self._run if link is None else None
        self._capture = Recording(opened, control)
        self._capture.start(tape)

    @keyword("Wait For Capture")
    def wait_for_capture(self, timeout: float = _WAIT_S) -> None:
        """Wait until the link has ended; fail if the target or the capture failed."""
        running, self._capture = self._running(), None
        result = _waited(running, timeout)
        if self._captured is not None:
            self._captured.finish()
        problems = "; ".join(str(problem) for problem in result.problems)
        _expect(not problems, problems)

    @keyword("Capture For")
    def capture_for(self, tape: str, timeout: float = _WAIT_S) -> None:
        """Capture the target to `tape` until it ends by itself; fail after `timeout` seconds."""
        self.start_capture(tape)
        self.wait_for_capture(timeout)

    @keyword("Stop Target")
    def stop_target(self, timeout: float = _WAIT_S) -> None:
        """End the running capture, if any, then end the target."""
        run, self._run = self._run, None
        if run is None:
            raise AssertionError("no target runs: use Start Target")
        capturing, self._capture = self._capture, None
        if capturing is not None:
            capturing.stop()
            _waited(capturing, timeout)
        run.__exit__(None, None, None)

    @keyword("Send Control")
    def send_control(self, *words: str) -> str:
        """Send a command to the captured target through the control socket; return the output.

        The words are those after `tickertape control LINK`, as in `Send Control  del-class  SCHED`.
        """
        socket = self._running().control
        _expect(socket is not None, "give Start Capture a control=SOCKET")
        return _command("control", f"unix:{socket}", *words)

    def _running(self) -> Recording:
        if self._capture is None:
            raise AssertionError("no capture runs: use Start Capture")
        return self._capture

    @keyword("Print Tape")
    def print_tape(self, tape: str, *options: str) -> str:
        """Return the output of `tickertape print` with these options."""
        return _command("print", "--no-pager", *options, tape)

    @keyword("Balance Should Be Exact")
    def balance_should_be_exact(self, tape: str) -> dict[str, int]:
        """Check that offered = delivered + overwritten + dropped + damaged, and return the terms.

        Every ring must have sent its last receipt, and no receipt may contradict another.
        """
        balance = _balance(tape)
        total = balance.total
        _expect(balance.final, f"{tape}: a ring did not send its last receipt")
        _expect(not balance.contradictions, "; ".join(balance.contradictions))
        _expect(total.holds, f"{tape}: the balance does not hold: {total}")
        logger.info(f"{tape}: {total}")
        return {
            "offered": total.offered,
            "delivered": total.delivered,
            "overwritten": total.overwritten,
            "dropped": total.dropped,
            "damaged": total.damaged,
        }

    @keyword("Balance Should Hold")
    def balance_should_hold(self, tape: str) -> None:
        """Check the balance of a tape that ends in the middle, up to its last receipts."""
        balance = _balance(tape)
        _expect(not balance.contradictions, "; ".join(balance.contradictions))
        _expect(balance.total.holds, f"{tape}: the balance does not hold: {balance.total}")
        _expect(balance.total.offered > 0, f"{tape}: no record was offered")

    @keyword("No Event Should Be Lost")
    def no_event_should_be_lost(self, tape: str) -> None:
        """Check that the balance is exact and every offered record was delivered."""
        terms = self.balance_should_be_exact(tape)
        _expect(terms["offered"] == terms["delivered"], f"{tape}: records were lost: {terms}")
        with Tape(Path(tape)) as opened:
            counters = opened.counters
        _expect(counters.whole, f"{tape}: events could not be put together: {counters}")

    @keyword("Counts Should Be")
    def counts_should_be(self, tape: str, console: str) -> None:
        """Check the balance against a program's own counts, class by class.

        `console` contains lines "offered CPU CLASS RECORDS", as the example storm prints them.
        """
        counted = {(int(c), int(k)): int(n) for c, k, n in _COUNTED.findall(console)}
        _expect(counted, "the console has no line: offered CPU CLASS RECORDS")
        self.balance_should_be_exact(tape)
        offered = {
            (ring.ring.cpu, number): balance.offered
            for ring in _balance(tape).rings
            for number, balance in (ring.by_class.classes if ring.by_class else {}).items()
        }
        wrong = [
            f"CPU {cpu}, class {number}: {offered.get((cpu, number), 0)} on the tape, "
            f"{counted.get((cpu, number), 0)} counted by the program"
            for cpu, number in sorted(counted.keys() | offered.keys())
            if offered.get((cpu, number), 0) != counted.get((cpu, number), 0)
        ]
        _expect(not wrong, "; ".join(wrong))

    @keyword("Events Should Match")
    def events_should_match(self, tape: str, reference: str, *names: str) -> int:
        """Check that two tapes have the same events, with their values, in the same order.

        Times are not compared. `names` are patterns such as `SCHED.ACTIVATION` and `USER.*`; at
        least one event must match. Returns the number of compared events.
        """
        compared = 0
        with Tape(Path(tape)) as here, Tape(Path(reference)) as there:
            pairs = zip_longest(_sequence(here, names), _sequence(there, names))
            for compared, (left, right) in enumerate(pairs, 1):
                _expect(
                    left == right,
                    f"event {compared} differs: {left} in {tape}, {right} in {reference}",
                )
        _expect(compared, f"no event of {', '.join(names)} is in {tape} or {reference}")
        return compared

    @keyword("Boots Should Be")
    def boots_should_be(self, tape: str, count: int) -> None:
        """Check the number of boots on the tape."""
        with TapeReader(Path(tape)) as reader:
            boots = len({ring.epoch for ring in reader.rings})
        _expect(boots == count, f"{tape} has {boots} boots, not {count}")

    @keyword("Get Event Count")
    def get_event_count(self, tape: str, name: str = "*") -> int:
        """Return the count of events that match a name, `SCHED.CONTEXT_SWITCH` or `USER.*`."""
        with Tape(Path(tape)) as opened:
            return sum(1 for _ in _sequence(opened, (name,)))


def _expect(holds: object, message: str) -> None:
    """Fail the keyword unless `holds`; Python may remove assert statements (-O)."""
    if not holds:
        raise AssertionError(message)


def _waited(capture: Recording, timeout_s: float) -> CaptureResult:
    """Return the result of a capture; fail the keyword if it does not end in time."""
    try:
        return capture.wait(timeout_s)
    except TimeoutError as error:
        raise AssertionError(f"the link did not end within {timeout_s:g} s") from error


def _balance(tape: str) -> TapeBalance:
    with TapeReader(Path(tape)) as reader:
        return balance_of(reader)


def _sequence(
    tape: Tape, names: tuple[str, ...]
) -> Iterator[tuple[str, tuple[int, ...], bytes | None]]:
    """Yield name, words and payload of the matching events."""
    for event in tape.events():
        if any(fnmatchcase(event.name, pattern) for pattern in names):
            yield event.name, event.words, event.payload


def _command(*words: str) -> str:
    """Run a subcommand in this process and return its output.

    Raises:
        AssertionError: the command failed; the message is its output on standard error.
    """
    said = command(*words)
    _expect(said.code == 0, said.complaint or f"tickertape {words[0]} ended with code {said.code}")
    return said.out


robot = Keywords
"""The class that Robot Framework imports for `Library  tickertape.robot`."""

__all__ = ["Keywords", "robot"]
