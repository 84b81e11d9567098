"""Which events a program wants: keyword arguments to a `Selection`, with real types."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, TypedDict

from tickertape.errors import UsageError
from tickertape.model.selection import Selection
from tickertape.protocol.matching import class_of, codes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Criteria(TypedDict, total=False):
    """Which events; values of one criterion are ORed, criteria are ANDed.

    Each but the stream and the times takes one value or several. None is no criterion.

    Attributes:
        classes: names of classes: `SCHED`, `APP16`.
        events: names of events: `THREAD.READY`, `MUTEX_*`, `USER.77`.
        tasks: names or numbers of threads: what happened while one of them had the CPU.
        cpus: numbers of CPUs.
        domains: numbers of domains, 0 for the kernel core.
        begin_ns: not before this time since the target's clock began.
        end_ns: not after it.
        boot: boots of the target, from 0.
        stream: only this stream.
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
    """Make a selection of all criteria but `boot` and `stream`.

    Raises:
        UsageError: a criterion, class or event does not exist, or a value has another type.
    """
    names = list(Criteria.__annotations__)
    for word in criteria.keys() - set(names):
        close = get_close_matches(word, names, 1) or names
        raise UsageError(f"there is no criterion {word}", f"take {' or '.join(close)}")
    return Selection(
        classes=frozenset(class_of(word) for word in _texts(criteria, "classes")),
        events=frozenset(code for word in _texts(criteria, "events") for code in codes_of(word)),
        tasks=frozenset(map(str, _values(criteria, "tasks", (str, int)))),
        cpus=numbers_of(criteria, "cpus"),
        domains=numbers_of(criteria, "domains"),
        begin_ns=one_of(criteria, "begin_ns"),
        end_ns=one_of(criteria, "end_ns"),
    )


def numbers_of(criteria: Mapping[str, object], name: str) -> frozenset[int]:
    """Return the numbers of a criterion; empty without it.

    Raises:
        UsageError: a value is no number.
    """
    return frozenset(value for value in _values(criteria, name, (int,)) if isinstance(value, int))


def one_of(criteria: Mapping[str, object], name: str) -> int | None:
    """Return the number of a criterion that takes one; None without it.

    Raises:
        UsageError: the value is no number.
    """
    value = criteria.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise _wrong(name, value, (int,))
    return int(value)


def _texts(criteria: Mapping[str, object], name: str) -> list[str]:
    return list(map(str, _values(criteria, name, (str,))))


def _values(criteria: Mapping[str, object], name: str, types: tuple[type, ...]) -> list[str | int]:
    """Return one value or several as several; numbers of numpy are numbers."""
    given = criteria.get(name)
    if given is None:
        return []
    is_one = isinstance(given, (str, bytes)) or not hasattr(given, "__iter__")
    values: list[str | int] = []
    for value in [given] if is_one else given:  # type: ignore[attr-defined] # it has __iter__
        if isinstance(value, str) and str in types:
            values.append(value)
        elif int in types and not isinstance(value, bool) and hasattr(value, "__index__"):
            values.append(int(value))
        else:
            raise _wrong(name, value, types)
    return values


def _wrong(name: str, value: object, types: tuple[type, ...]) -> UsageError:
    wanted = " or ".join({str: "a name", int: "a number"}[kind] for kind in types)
    return UsageError(f"{name} does not take {value!r}", f"give {wanted}, or several in a list")
