"""Complaints about a source, shared by the rules for events.yaml and wire.yaml."""

from __future__ import annotations

import keyword
from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from tools.gen.source import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tools.gen.source import Key, Source

    # Place in the file, and "what is wrong; what to do".
    Where = tuple[Key, ...]
    Complaint = tuple[Where, str]

_Value = TypeVar("_Value", str, int)

_C_KEYWORDS = frozenset(
    """
    auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef
    union unsigned void volatile while
    """.split()  # noqa: SIM905 -- a list of quoted words is harder to read
)


def refuse(source: Source, complaints: Iterable[Complaint]) -> None:
    """Raise an error if there is a complaint.

    Raises:
        SourceError: with one line per complaint.
    """
    lines = [str(source.error(where, message)) for where, message in complaints]
    if lines:
        raise SourceError("\n".join(lines))


def words(where: Where, names: list[str], reserved: Iterable[str] = ()) -> Iterator[Complaint]:
    """Yield complaints about repeated names of fields, and names that are reserved words."""
    for index, name in enumerate(names):
        if name in names[:index]:
            yield (*where, index), f"two fields are called {name}; rename one"
        if name in _C_KEYWORDS or keyword.iskeyword(name) or name in reserved:
            text = f"'{name}' is a word of C, Python or the emitters"
            yield (*where, index), f"{text}; rename the field"


def twice(values: Iterable[_Value]) -> list[_Value]:
    """Return the values that occur more than once, each once."""
    return [value for value, count in Counter(values).items() if count > 1]
