"""Sessions with labgrid; each runs in labgrid's environment and prints lines of JSON.

python -m tests.lab.session NAME LAB.yaml ARGUMENTS...
python -m tests.lab.session places COORDINATOR
"""

from __future__ import annotations

import io
import json
import signal
import sys
import time
from contextlib import redirect_stdout
from typing import Any

from labgrid import Environment
from labgrid.logging import StepLogger
from labgrid.remote.client import main as labgrid_client

from tests.support.patience import HANG_S
from tickertape.errors import TickertapeError
from tickertape.lab.place import held, leaving

NAMES = ("one", "two")
STATES = ("off", "flashed", "recording", "verdict")


def show(**facts: object) -> None:
    print(json.dumps(facts), flush=True)  # noqa: T201 - a program


def failing(act: Any, *arguments: object, **words: object) -> str:  # noqa: ANN401 - of labgrid
    """Return type and text of the TickertapeError that a call must raise."""
    try:
        act(*arguments, **words)
    except TickertapeError as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError(act)


def until(condition: Any) -> None:  # noqa: ANN401 - a function
    deadline = time.monotonic() + HANG_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def verdicts(lab: Environment) -> None:
    """Run both boards, one after the other, from off to verdict."""
    for name in NAMES:
        strategy = lab.get_target(name).get_driver("TickertapeStrategy")
        for state in STATES:
            strategy.transition(state)
        tape = strategy.recorded
        show(
            board=name,
            link=tape.meta["link"].partition(":")[0],
            offered=tape.balance.total.offered,
            delivered=tape.balance.total.delivered,
            final=tape.balance.final,
            events=len(tape),
            verdicts=[one.outcome.value for one in strategy.verdicts],
            path=str(tape.path),
        )
        strategy.transition("off")


def faults(lab: Environment, right: str, wrong: str) -> None:
    """Show the faults of recordings that a board can cause."""
    target = lab.get_target("one")
    switch = target.get_driver("BoardSwitch")
    driver = target.get_driver("TickertapeDriver")
    switch.tell("erase")
    show(silent=failing(driver.capture, 0.3))
    driver.record(HANG_S)
    switch.tell("garbage")
    until(lambda: driver.progress is not None and driver.progress.counters.bytes)
    switch.tell("unplug")
    show(unplugged=failing(driver.stop))
    driver.record()
    switch.tell("garbage")
    until(lambda: driver.progress is not None and driver.progress.counters.bytes)
    show(garbage=failing(driver.stop))
    driver.flash(right)
    driver.expect(wrong)
    driver.record(HANG_S, until_final=True)
    switch.reset()
    show(wrong=failing(driver.stop))
    driver.flash(right)
    driver.max_resets = 0
    driver.record()
    show(twice=failing(driver.record), none=failing(driver.check, "spec.yaml"))
    switch.reset()
    until(lambda: driver.progress is not None and driver.progress.hello is not None)
    switch.reset()
    until(lambda: driver.progress.epoch)
    show(looping=failing(driver.stop))
    control(driver, switch)


def control(driver: Any, switch: Any) -> None:  # noqa: ANN401 - of labgrid
    """Send commands to a board that is being recorded."""
    switch.tell("endless")
    driver.record()
    switch.reset()
    until(lambda: driver.progress is not None and driver.progress.hello is not None)
    driver.control("insert", "7", "door opened")
    refused = failing(driver.control, "del-class", "NONE")
    tape = driver.stop()
    texts = [bytes(event.payload) for event in tape.events(classes=["USER"]) if event.event == 7]
    show(
        texts=[text.rstrip(b"\0").decode() for text in texts],
        refused=refused,
        holds=tape.balance.total.holds,
        exact=tape.balance.final,
    )
    switch.off()


def exporter_dies(lab: Environment) -> None:
    """Record a board whose exporter the test kills after the first line."""
    driver = lab.get_target("two").get_driver("TickertapeDriver")
    path = driver.record(HANG_S)
    show(recording=str(path))
    show(lost=failing(driver.stop))


def hold(lab: Environment, place: str, wait_s: str) -> None:
    """Hold a place until standard input ends."""
    signal.signal(signal.SIGINT, leaving)
    show(begun=True)
    try:
        with held(place, lab, float(wait_s)):
            show(held=place)
            sys.stdin.read()
    except TickertapeError as error:
        show(refused=str(error))


def places(coordinator: str) -> None:
    """Create and acquire the places after the exporters have registered their boards."""
    until(lambda: all(f"host-{name}/" in client(coordinator, "resources") for name in NAMES))
    for name in NAMES:
        for words in (("create",), ("add-match", f"host-{name}/board-{name}/*"), ("acquire",)):
            client(coordinator, "-p", name, *words)


def client(coordinator: str, *words: str) -> str:
    """Run labgrid-client in this process."""
    sys.argv = ["labgrid-client", "-x", coordinator, *words]
    printed = io.StringIO()
    code: object = None
    with redirect_stdout(printed):
        try:
            labgrid_client()
        except SystemExit as end:
            code = end.code
    StepLogger.stop()  # it can be started only once
    assert not code, (words, printed.getvalue())
    return printed.getvalue()


if __name__ == "__main__":
    _, NAME, WHERE, *REST = sys.argv
    if NAME == "places":
        places(WHERE)
    else:
        globals()[NAME](Environment(WHERE), *REST)
