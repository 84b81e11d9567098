"""The labgrid strategy with the states off, flashed, recording and verdict."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, ClassVar, Final

import attr
from labgrid.factory import target_factory
from labgrid.step import step
from labgrid.strategy import Strategy, StrategyError

if TYPE_CHECKING:
    from tickertape.answers.check import Verdict
    from tickertape.api.tape import Tape


class Status(enum.Enum):
    """States of a board, in the order of the strategy."""

    unknown = 0
    off = 1
    flashed = 2
    recording = 3
    verdict = 4


_IN_ORDER: Final = (Status.off, Status.flashed, Status.recording, Status.verdict)


@target_factory.reg_driver
@attr.s(eq=False)
class TickertapeStrategy(Strategy):  # type: ignore[misc]  # labgrid carries no types
    """Flashes a board, records it from its reset on and checks the tape.

    A failed state sets the status to `unknown`; the next transition begins at `off`.

    Attributes:
        image: image to flash; None to use the firmware on the board.
        spec: path of the specification; None for no verdicts.
        duration_s: how long to record, in seconds.
        until_final: end earlier, when the target announces its end, which it has to do in time.
        status: current state.
        recorded: the tape, open, when the state is `verdict`; None before.
        verdicts: verdicts about the tape.
    """

    bindings: ClassVar = {
        "tape": "TickertapeDriver",
        "power": {"PowerProtocol", None},
        "reset": {"ResetProtocol", None},
    }

    image: str | None = attr.ib(default=None)
    spec: str | None = attr.ib(default=None)
    duration_s: float = attr.ib(default=10.0, converter=float)
    until_final: bool = attr.ib(default=False, validator=attr.validators.instance_of(bool))
    status: Status = attr.ib(default=Status.unknown, init=False)

    def __attrs_post_init__(self) -> None:
        """Start without tape and verdicts."""
        super().__attrs_post_init__()
        self.recorded: Tape | None = None
        self.verdicts: list[Verdict] = []

    @step(args=["status"])  # type: ignore[untyped-decorator]  # labgrid carries no types
    def transition(self, status: Status | str) -> None:
        """Bring the board to a state, through all previous states.

        Raises:
            StrategyError: there is no such state.
            TickertapeError: a state could not be reached.
        """
        try:
            wanted = _IN_ORDER.index(Status[status] if isinstance(status, str) else status)
        except (KeyError, ValueError) as error:
            known = ", ".join(one.name for one in _IN_ORDER)
            raise StrategyError(f"there is no state {status}; choose one of {known}") from error
        if self.status is _IN_ORDER[wanted]:
            return
        reached = -1 if self.status is Status.unknown else _IN_ORDER.index(self.status)
        for state in _IN_ORDER[reached + 1 if reached < wanted else 0 : wanted + 1]:
            self.status = Status.unknown
            getattr(self, f"_to_{state.name}")()
            self.status = state

    def _to_off(self) -> None:
        self.target.deactivate(self.tape)
        if self.power is not None:
            self.target.activate(self.power)
            self.power.off()

    def _to_flashed(self) -> None:
        if self.power is not None:
            self.target.activate(self.power)
            self.power.on()
        self.target.activate(self.tape)
        if self.image is not None:
            self.tape.flash(self.image)

    def _to_recording(self) -> None:
        self.tape.record(self.duration_s, until_final=self.until_final)
        if self.reset is not None:
            self.target.activate(self.reset)
            self.reset.reset()

    def _to_verdict(self) -> None:
        self.recorded = self.tape.stop()
        self.verdicts = [] if self.spec is None else self.tape.check(self.spec, self.recorded)
