"""Explain refused commands: what the reason means, and what to do."""

from __future__ import annotations

from typing import Final

from tickertape.control.exchange import command_name
from tickertape.errors import CommandRefused
from tickertape.protocol.wire import Command, ReplyStatus

_TOO_MANY_FILTERS: Final = (
    "all its filters are in use",
    "remove one: set-pid WHAT 0",
)
# Meaning of a status and advice, by command, where it differs from `_OTHERWISE`.
_REASONS: Final = {
    (Command.START, ReplyStatus.NOT_NOW): (
        "its recorder is not ready",
        "wait until the target has started",
    ),
    (Command.THREAD_FILTER, ReplyStatus.NOT_NOW): _TOO_MANY_FILTERS,
    (Command.POLICY, ReplyStatus.NOT_NOW): (
        "the stream records, and its policy cannot change meanwhile",
        "stop it first",
    ),
    (Command.PACKING, ReplyStatus.NOT_NOW): (
        "it was built without packed buffers",
        "build it with TT_CONFIG_PACKING 1",
    ),
    (Command.STREAM_ATTACH, ReplyStatus.BAD_ARGUMENT): (
        "it has no stream of this name now",
        "create the stream first, with this name",
    ),
    (Command.STREAM_DETACH, ReplyStatus.BAD_ARGUMENT): (
        "it has no stream of this name now",
        "no action is needed: a stream that does not exist is sent to no reader",
    ),
    (Command.SHED, ReplyStatus.BAD_ARGUMENT): (
        "it has no such stream, or a ring has no more buffers than that",
        "keep fewer free",
    ),
}
# Commands whose only argument is the stream.
_OF_A_STREAM: Final = frozenset(
    {
        Command.START,
        Command.STOP,
        Command.FLUSH,
        Command.STATUS,
        Command.CLASSES,
        Command.ADD_ALL,
        Command.DEL_ALL,
    }
)
_NO_STREAM: Final = ("it has no stream {stream}", "use stream 0, which every target has")
_OTHERWISE: Final = {
    ReplyStatus.BAD_ARGUMENT: (
        "an argument is out of its range, or it has no stream {stream}",
        "check it with: status",
    ),
    ReplyStatus.NOT_NOW: ("that is not possible now", "check it with: status"),
    ReplyStatus.UNKNOWN: (
        "it does not know this command",
        "build the firmware with this tickertape",
    ),
}


def refusal(command: int, status: int, stream: int) -> CommandRefused:
    """Return the error for a refused command.

    Args:
        command: a `Command`.
        status: a `ReplyStatus` other than DONE, or a number that this version does not define.
        stream: stream that the command concerned.
    """
    try:
        known = ReplyStatus(status)
    except ValueError:
        reason, advice = f"for an unknown reason (status {status})", "update tickertape"
    else:
        if known is ReplyStatus.BAD_ARGUMENT and command in _OF_A_STREAM:
            reason, advice = _NO_STREAM
        else:
            reason, advice = _REASONS.get((Command(command), known)) or _OTHERWISE[known]
    return CommandRefused(
        f"the target refused {command_name(command)}: {reason.format(stream=stream)}", advice
    )
