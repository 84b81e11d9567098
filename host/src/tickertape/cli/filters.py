"""The options that select events for `print`, and their conversion to a `Selection`."""

from __future__ import annotations

import argparse
import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

from tickertape.cli.options import add_boot
from tickertape.errors import UsageError
from tickertape.model.selection import Selection
from tickertape.protocol.matching import class_of, codes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    AddressesOf = Callable[[str], Iterable[tuple[int, int]]]

_LAST_CPU: Final = 63
_LAST_DOMAIN: Final = 63
_LAST_WORD: Final = (1 << 32) - 1
_UNITS_NS: Final = {"": 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "µs": 10**3, "ns": 1}
_TIME: Final = re.compile(r"([0-9]*\.?[0-9]+)\s*(s|ms|us|µs|ns|)")
_LONGEST_TIME: Final = 10**12  # seconds; more than 64 bits of nanoseconds


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Declare the options. The options of `_several` may be repeated."""
    group = parser.add_argument_group(
        "what to print",
        "Values of one option are ORed; options are ANDed.",
    )
    _several(group, "--class", "NAME", "events of this class, e.g. SCHED", dest="classes")
    _several(
        group,
        "--event",
        "NAME",
        "this event, e.g. THREAD.READY, MUTEX_*, USER.77",
        dest="events",
    )
    _several(group, "--task", "NAME", "while this task had the CPU; name or number", dest="tasks")
    _several(group, "--cpu", "N", "events of this CPU", dest="cpus", kind=_number(_LAST_CPU))
    _several(group, "--board", "NAME", "events of this board of a merged tape", dest="boards")
    _several(
        group,
        "--domain",
        "N",
        "events of this domain; 0 is the kernel core",
        dest="domains",
        kind=_number(_LAST_DOMAIN),
    )
    _several(
        group,
        "--address",
        "PLACE",
        "events about this object or code: its name, 0x20000100, or 0x20000000-0x20000fff",
        dest="addresses",
    )
    add_boot(group)
    group.add_argument("--stream", type=int, metavar="N", help="only this stream")
    add_times(group, "events at or after TIME, e.g. 1.25, 300ms", "events at or before TIME")
    group.add_argument(
        "--grep", type=_pattern, metavar="RE", help="only lines that match this regular expression"
    )


def add_times(
    group: argparse.ArgumentParser | argparse._ArgumentGroup, begin: str, end: str
) -> None:
    """Declare the range --from to --to.

    Args:
        group: parser or group that gets the options.
        begin: help of --from.
        end: help of --to.
    """
    group.add_argument("--from", dest="begin_ns", type=time_ns, metavar="TIME", help=begin)
    group.add_argument("--to", dest="end_ns", type=time_ns, metavar="TIME", help=end)


def times_of(arguments: argparse.Namespace) -> tuple[int | None, int | None]:
    """Return begin and end of the range of `add_times`, in ns; None if not given.

    Raises:
        UsageError: the range ends before it begins.
    """
    begin, end = arguments.begin_ns, arguments.end_ns
    if begin is not None and end is not None and begin > end:
        raise UsageError("--from is later than --to", "exchange them")
    return begin, end


def selection_of(arguments: argparse.Namespace, addresses_of: AddressesOf) -> Selection:
    """Build the selection from the options.

    Args:
        arguments: have the options of `add_filters`.
        addresses_of: returns first and last address of each object with a name.

    Raises:
        UsageError: a name is unknown.
    """
    return Selection(
        classes=frozenset(map(class_of, arguments.classes)),
        events=frozenset(code for word in arguments.events for code in codes_of(word)),
        tasks=frozenset(arguments.tasks),
        cpus=frozenset(arguments.cpus),
        domains=frozenset(arguments.domains),
        addresses=tuple(
            found for place in arguments.addresses for found in _addresses(place, addresses_of)
        ),
        begin_ns=arguments.begin_ns,
        end_ns=arguments.end_ns,
    )


def _several(
    group: argparse._ArgumentGroup,
    option: str,
    metavar: str,
    text: str,
    *,
    dest: str,
    kind: Callable[[str], object] = str,
) -> None:
    group.add_argument(
        option,
        metavar=metavar,
        help=text,
        dest=dest,
        type=kind,
        action="append",
        default=[],
    )


def _number(limit: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) > limit:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {limit}")
        return int(text)

    return number


def time_ns(text: str) -> int:
    """Parse a time such as 1.25, 300ms or 20us; return nanoseconds."""
    found = _TIME.fullmatch(text)
    try:
        value = Decimal(found[1]) if found else None
    except InvalidOperation:
        value = None
    if found is None or value is None or value > _LONGEST_TIME:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 1.25, 300ms or 20us")
    return int(value * _UNITS_NS[found[2]])


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a regular expression: {error}"
        ) from error


def _addresses(place: str, addresses_of: AddressesOf) -> Iterable[tuple[int, int]]:
    first, _, last = place.partition("-")
    try:
        low, high = int(first, 0), int(last or first, 0)
    except ValueError:
        found = addresses_of(place)
        if found:
            return found
        raise UsageError(
            f"nothing is called {place}", "give its address, or --elf with the firmware's file"
        ) from None
    if not 0 <= low <= high <= _LAST_WORD:
        raise UsageError(
            f"{place} is not a range of addresses", "give two of 32 bits, the lower one first"
        )
    return [(low, high)]
