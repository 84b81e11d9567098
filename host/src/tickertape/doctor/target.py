"""Find faults that a target's own frames report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.decode.bodies import BadBodyError, Hello, Status, parse_body
from tickertape.decode.frames import FrameDecoder
from tickertape.doctor.report import Diagnosis, Kind, Sure
from tickertape.errors import FirmwareError
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.protocol.wire import PROTOCOL_MAJOR, FrameType

if TYPE_CHECKING:
    from tickertape.collector import Progress
    from tickertape.symbols.elf import Symbols

_BUILD_WORDS = "build the firmware with this tickertape, or use the tickertape that built it"


def asked_of_target(data: bytes, progress: Progress, symbols: Symbols | None) -> list[Diagnosis]:
    """Return the faults that HELLO, STATUS and the receipts report.

    Args:
        data: the frames.
        progress: progress of the capture of these frames.
        symbols: the firmware that should run; None if unknown.
    """
    hello, statuses, buffers = _said(data)
    found = []
    if hello is not None:
        found += _of_hello(hello, symbols)
    if progress.epoch:
        mend = "look for a watchdog, a brown-out or a debugger that resets it; info shows the boots"
        what = f"the target was reset {progress.epoch} times"
        found.append(Diagnosis(Kind.RESETS, Sure.PROVEN, what, mend))
    if statuses and not buffers and not any(one.running or one.offered for one in statuses):
        mend = "start it: tickertape control LINK start, or tt_start() in the firmware"
        what = "the recorder answers, but no stream was started"
        found.append(Diagnosis(Kind.NOT_STARTED, Sure.PROVEN, what, mend))
    balance = progress.balance
    lost = balance.dropped + balance.overwritten
    if lost:
        mend = "capture a tape and let tickertape plan T.tape --link LINK choose rate and buffers"
        what = f"{lost} of {balance.offered} records found no room in the target; the link is slow"
        found.append(Diagnosis(Kind.TARGET_LOSSES, Sure.PROVEN, what, mend))
    return found


def _said(data: bytes) -> tuple[Hello | None, list[Status], int]:
    """Return the last HELLO, all STATUS and the number of buffers."""
    decoder = FrameDecoder()
    decoder.receive(data)
    hello, statuses, buffers = None, [], 0
    for frame in decoder.frames():
        buffers += frame.type in {FrameType.BUFFER, FrameType.PACKED}
        try:
            body = parse_body(frame)
        except BadBodyError:
            continue
        if isinstance(body, Hello):
            hello = body
        elif isinstance(body, Status):
            statuses.append(body)
    return hello, statuses, buffers


def _of_hello(hello: Hello, symbols: Symbols | None) -> list[Diagnosis]:
    if hello.major != PROTOCOL_MAJOR:
        what = f"the target has protocol {hello.major}.{hello.minor}, this program {PROTOCOL_MAJOR}"
        return [Diagnosis(Kind.PROTOCOL, Sure.PROVEN, what, _BUILD_WORDS)]
    found = []
    if hello.dictionary != DICTIONARY_HASH:
        what = "the target was built with another list of events; names of events may be wrong"
        found.append(Diagnosis(Kind.DICTIONARY, Sure.PROVEN, what, _BUILD_WORDS))
    if symbols is not None:
        try:
            symbols.require_build(bytes.fromhex(hello.build_id), force=False)
        except FirmwareError as error:
            mend = "flash this ELF file, or give --elf the file that runs"
            found.append(Diagnosis(Kind.OTHER_BUILD, Sure.PROVEN, error.problem, mend))
    return found
