"""The runs of a suite: one process per board records, this process checks the tapes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tickertape.answers.check import Outcome, check
from tickertape.answers.spec import SpecError
from tickertape.errors import TapeError
from tickertape.tape import TapeReader
from tickertape.targets.process import tied_to_us

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tickertape.answers.check import Verdict
    from tickertape.answers.spec import Requirement
    from tickertape.cli.hil_suite import Suite

WORKER: Final = (sys.executable, "-m", "tickertape.lab.worker")
ON_BOARD: Final = "board"
"""Name of the image that is already on the board."""
_END_S: Final = 60
_MESSAGE: Final = "message"


@dataclass
class Run:
    """The run of an image on a board, and its result.

    Attributes:
        board: name of the board.
        image: name of the image.
        faults: kind and message of each attempt that could not be judged, in order.
        tape: tape of the attempt that could be judged; None if there is none.
        aside: whether the board was set aside after this run, its last one.
        verdicts: verdicts by name of the specification.
        problems: why the tape could not be judged.
    """

    board: str
    image: str
    faults: list[tuple[str, str]] = field(default_factory=list)
    tape: Path | None = None
    aside: bool = False
    verdicts: dict[str, Sequence[Verdict]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def attempts(self) -> int:
        """Number of attempts."""
        return len(self.faults) + (self.tape is not None)

    @property
    def error(self) -> str | None:
        """Reason why there is no verdict; None if there is one."""
        if self.problems:
            return self.problems[0]
        if self.tape is not None:
            return None
        return self.faults[-1][1] if self.faults else f"{self.board} was set aside"

    def outcomes(self) -> Iterator[Outcome]:
        """Yield the outcomes of all verdicts, after UNKNOWN if the run has an error."""
        if self.error is not None:
            yield Outcome.UNKNOWN
        for found in self.verdicts.values():
            yield from (one.outcome for one in found)


def record_all(
    suite: Suite,
    folder: Path,
    *,
    show: Callable[[Run], None],
) -> list[Run]:
    """Record every image on every board, all boards at the same time, and judge the tapes.

    Args:
        suite: boards, images and specifications.
        folder: folder for the tapes of this run.
        show: called with each finished run, by one thread at a time.

    Returns:
        All runs in the order of the suite, including those that did not begin.
    """
    boards = [_Board(suite, board, folder) for board in suite.boards]
    alone = threading.Lock()

    def done(run: Run) -> None:
        with alone:
            show(run)

    with ThreadPoolExecutor(len(boards)) as threads:
        try:
            for one in boards:
                one.start()
            list(threads.map(lambda one: one.work(done), boards))
        finally:
            for one in boards:
                one.end()
    return [run for one in boards for run in one.runs]


class _Board:
    """A board and the process that records it."""

    def __init__(self, suite: Suite, board: str, folder: Path) -> None:
        self._suite = suite
        self._board = board
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self.runs = [Run(board, Path(one).stem if one else ON_BOARD) for one in suite.images[board]]

    def start(self) -> None:
        """Start the process."""
        with (self._folder / f"{self._board}.log").open("w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                tied_to_us(WORKER),
                cwd=self._suite.lab.parent,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                process_group=0,  # Ctrl-C is for us: `end` stops it, and it releases its place
            )

    def work(self, show: Callable[[Run], None]) -> None:
        """Send the job to the process and handle its reports until it ends."""
        process = self._process
        assert process is not None  # noqa: S101 - started before
        assert process.stdin is not None  # noqa: S101 - a pipe
        assert process.stdout is not None  # noqa: S101 - likewise
        with suppress(BrokenPipeError), process.stdin as job:
            json.dump(self._job(), job)
        left = list(self.runs)
        for line in process.stdout:
            if left and self._take(left[0], json.loads(line)):
                show(left.pop(0))
        code = process.wait()
        if code and left:
            left[0].faults.append(("WorkerError", self._end_of(code)))
        for one in left:
            show(one)

    def _end_of(self, code: int) -> str:
        """Return why a process ended early: its exit code and the last line of its log."""
        log = self._folder / f"{self._board}.log"
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        reason = f": {lines[-1]}" if lines else ""
        return f"the process for {self._board} ended with {code}{reason}; see {log}"

    def _job(self) -> dict[str, Any]:
        suite = self._suite
        return {
            "lab": str(suite.lab),
            "board": self._board,
            "images": suite.images[self._board],
            "duration_s": suite.duration_s,
            "until_final": suite.until_final,
            "retries": suite.retries,
            "wait_s": suite.wait_s,
            "folder": str(self._folder),
        }

    def _take(self, run: Run, report: dict[str, Any]) -> bool:
        """Store the report of an attempt; return whether it was the last attempt of the run."""
        if report["fault"] is None:
            run.tape = Path(report["tape"])
            judge(run, self._suite.specs)
            return True
        run.faults.append((report["fault"]["kind"], report["fault"][_MESSAGE]))
        run.aside = report["aside"]
        return run.aside or report["attempt"] > self._suite.retries

    def end(self) -> None:
        """Stop the process, which releases its place; kill it after `_END_S` seconds."""
        process = self._process
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def judge(run: Run, specs: dict[str, list[Requirement]]) -> None:
    """Check the tape of a run by each specification; store verdicts or the problem in the run."""
    if run.tape is None:
        return
    try:
        with TapeReader(run.tape) as reader:
            for name, requirements in specs.items():
                run.verdicts[name] = check(reader, requirements)
    except (TapeError, SpecError) as error:
        run.problems.append(str(error))
