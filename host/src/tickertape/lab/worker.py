"""Record one board of a suite, image by image: `python -m tickertape.lab.worker < JOB`.

`tickertape hil run` starts a worker per board. The job is a JSON object: `lab` (path of the labgrid
configuration), `board` (a target in it), `images` (names or paths; null for the image on the
board), `duration_s`, `until_final`, `retries`, `wait_s` (for a place that another client holds) and
`folder` (for the tapes). The worker prints a line of JSON per attempt: `image`, `attempt` (from 1),
`tape` (its path; null for none), `fault` (null, or `kind` and `message`) and `aside` (true if no
other image is tried).
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from labgrid import Environment

from tickertape.errors import (
    FirmwareError,
    LinkError,
    TargetError,
    TickertapeError,
    UsageError,
)
from tickertape.lab.place import held, leaving, places_of
from tickertape.lab.strategy import Status

if TYPE_CHECKING:
    from typing import TextIO

# Faults after which another image may succeed. After any other fault the board is set aside.
_OF_THE_IMAGE: Final = (FirmwareError, TargetError, LinkError)


def main() -> None:
    """Execute the job on standard input."""
    job = json.load(sys.stdin)
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # output of libraries is not a result
    signal.signal(signal.SIGTERM, leaving)
    signal.signal(signal.SIGINT, leaving)
    try:
        _work(job, lines)
    except Exception as error:  # noqa: BLE001 - labgrid's are of any type
        _report(lines, job["images"][0], 1, None, error, aside=True)


def _work(job: dict[str, Any], lines: TextIO) -> None:
    lab = Environment(job["lab"])
    with ExitStack() as stack:
        for place in places_of(lab, job["board"]):
            stack.enter_context(held(place, lab, job["wait_s"]))
        target = lab.get_target(job["board"])
        if target is None:
            raise UsageError(f"{job['lab']} has no target {job['board']}", "check `boards`")
        stack.callback(target.cleanup)
        strategy = target.get_driver("TickertapeStrategy")
        strategy.spec = None
        strategy.duration_s, strategy.until_final = job["duration_s"], job["until_final"]
        for image in job["images"]:
            if not _record(strategy, image, job, lines):
                return


def _record(strategy: Any, image: str | None, job: dict[str, Any], lines: TextIO) -> bool:  # noqa: ANN401 - of labgrid
    """Record an image until an attempt succeeds; return whether to try the next image."""
    strategy.image = image
    for attempt in range(1, job["retries"] + 2):
        name = f"{Path(image).stem if image else 'board'}-{attempt}"
        strategy.tape.folder = f"{job['folder']}/{job['board']}/{name}"
        fault: Exception | None = None
        try:
            strategy.transition(Status.verdict)
        except Exception as error:  # noqa: BLE001 - labgrid's are of any type
            fault = error
        tape = next(Path(strategy.tape.folder).glob("*.tape"), None)
        try:
            strategy.transition(Status.off)
        except Exception as error:  # noqa: BLE001 - likewise
            fault = fault or error
        last = fault is None or attempt > job["retries"]
        aside = last and fault is not None and not is_of_image(fault)
        _report(lines, image, attempt, tape, fault, aside=aside)
        if last:
            return not aside
    return True


def is_of_image(fault: Exception) -> bool:
    """Return whether another image may succeed on the same board."""
    return type(fault) in _OF_THE_IMAGE


def _report(
    lines: TextIO,
    image: str | None,
    attempt: int,
    tape: Path | None,
    fault: Exception | None,
    *,
    aside: bool,
) -> None:
    described = None
    if fault is not None:
        text = str(fault) if isinstance(fault, TickertapeError) else f"labgrid: {fault!r}"
        described = {"kind": type(fault).__name__, "message": text}
    line = {
        "image": image,
        "attempt": attempt,
        "tape": None if tape is None else str(tape),
        "fault": described,
        "aside": aside,
    }
    print(json.dumps(line), file=lines, flush=True)


if __name__ == "__main__":
    main()
