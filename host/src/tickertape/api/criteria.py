"""Convert keyword arguments that choose events to a `Selection`, with real types."""

from __future__ import annotations

from contextlib import suppress
from difflib import get_close_matches
from operator import index
from reprlib import repr as shown
from typing import TYPE_CHECKING, TypedDict

from tickertape.errors import UsageError
from tickertape.model.selection import Selection
from tickertape.protocol.matching import class_of, codes_of
from tickertape.protocol.wire import DOMAIN_MASK

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Criteria(TypedDict, total=False):
    """Selects events: values of one criterion are ORed, criteria are ANDed.

    Each criterion except stream and times takes one value or several. None selects everything; an
    empty sequence, as in `tasks=[]`, is refused.

    Attributes:
        classes: names of classes: `SCHED`, `APP16`.
        events: names of events: `THREAD.READY`, `MUTEX_*`, `USER.77`.
        tasks: names or numbers of threads; selects events recorded while one of them had the CPU.
        cpus: numbers of CPUs.
        domains: numbers of domains, 0 for the kernel core.
        begin_ns: earliest time, in ns since the target's clock began.
        end_ns: latest time, in ns since the target's clock began.
        boot: numbers of boots, from 0.
        stream: number of the stream to read, as if the tape had no other: only its events determine
            which thread had the CPU and how a thread was renamed.
    """

    classes: str | Iterable[str] | None
    events: str | Iterable[str] | None
    tasks: str | int | Iterable[str | int] | None
    cpus: int | Iterable[int] | None
    domains: int | Iterable[int] | None
    begin_ns: int | None
    end_ns: int | None
    boot: int | Iterable[int] | None
    stream: int | None


def selection_of(criteria: Criteria) -> Selection:
    """Return the selection of all criteria except `boot` and `stream`.

    Raises:
        UsageError: a criterion, class, event or domain does not exist, a value has another type, a
            criterion has no value, or `begin_ns` is later than `end_ns`.
    """
    names = list(Criteria.__annotations__)
    for word in criteria.keys() - set(names):
        close = get_close_matches(word, names, 1) or names
        raise UsageError(f"there is no criterion {word}", f"use {' or '.join(close)}")
    begin_ns, end_ns = times_of(criteria)
    return Selection(
        classes=frozenset(class_of(word) for word in _texts(criteria, "classes")),
        events=frozenset(code for word in _texts(criteria, "events") for code in codes_of(word)),
        tasks=frozenset(map(str, _values(criteria, "tasks", (str, int)))),
        cpus=numbers_of(criteria, "cpus"),
        domains=_domains(criteria),
        begin_ns=begin_ns,
        end_ns=end_ns,
    )


def times_of(criteria: Mapping[str, object]) -> tuple[int | None, int | None]:
    """Return `begin_ns` and `end_ns`; None without them.

    Raises:
        UsageError: one is not a number, or the begin is later than the end.
    """
    begin_ns, end_ns = one_of(criteria, "begin_ns"), one_of(criteria, "end_ns")
    if begin_ns is not None and end_ns is not None and begin_ns > end_ns:
        raise UsageError(f"begin_ns {begin_ns} is later than end_ns {end_ns}", "exchange them")
    return begin_ns, end_ns


def numbers_of(criteria: Mapping[str, object], name: str) -> frozenset[int]:
    """Return the numbers of a criterion; empty without it.

    Raises:
        UsageError: a value is not a number.
    """
    return frozenset(value for value in _values(criteria, name, (int,)) if isinstance(value, int))


def one_of(criteria: Mapping[str, object], name: str) -> int | None:
    """Return the number of a criterion that takes one; None without it.

    Raises:
        UsageError: the value is not a number.
    """
    value = criteria.get(name)
    return None if value is None else number(name, value)


def number(name: str, value: object, *, least: int | None = None) -> int:
    """Return an argument as an integer; integers of numpy are accepted.

    Args:
        name: name of the argument.
        value: value of the argument.
        least: lowest allowed value; None for no limit.

    Raises:
        UsageError: the value is not an integer, or is too low.
    """
    found = _whole(value)
    if found is None:
        raise _wrong(name, value, (int,))
    if least is not None and found < least:
        raise UsageError(f"{name} cannot be {found}", f"give {least} or more")
    return found


def _whole(value: object) -> int | None:
    """Return a value as an integer; None for everything else, including booleans and arrays."""
    is_truth = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"
    with suppress(TypeError):
        if not is_truth:  # numpy 1 accepts its own booleans as numbers
            return index(value)  # type: ignore[arg-type] # raises for other types
    return None


def _domains(criteria: Mapping[str, object]) -> frozenset[int]:
    numbers = numbers_of(criteria, "domains")
    for wrong in sorted(numbers - set(range(DOMAIN_MASK + 1))):
        raise UsageError(f"there is no domain {wrong}", f"choose 0 to {DOMAIN_MASK}")
    return numbers


def _texts(criteria: Mapping[str, object], name: str) -> list[str]:
    return list(map(str, _values(criteria, name, (str,))))


def _values(criteria: Mapping[str, object], name: str, types: tuple[type, ...]) -> list[str | int]:
    """Return the values of a criterion as a list; integers of numpy are accepted."""
    given = criteria.get(name)
    if given is None:
        return []
    values: list[str | int] = []
    for value in _several(given):
        if isinstance(value, str) and str in types:
            values.append(value)
        elif int in types and (found := _whole(value)) is not None:
            values.append(found)
        else:
            raise _wrong(name, value, types)
    if not values:
        raise UsageError(f"{name} is empty", "give a value, or leave it out to choose everything")
    return values


def _several(given: object) -> Iterable[object]:
    """Return the values of an iterable, or a single value in a list."""
    if not isinstance(given, (str, bytes)):
        with suppress(TypeError):  # also raised by an array without a dimension, which has __iter__
            return iter(given)  # type: ignore[call-overload,no-any-return] # tried
    return [given]


def _wrong(name: str, value: object, types: tuple[type, ...]) -> UsageError:
    wanted = " or ".join({str: "a name", int: "a number"}[kind] for kind in types)
    return UsageError(f"{name} cannot be {shown(value)}", f"give {wanted}, or several in a list")
