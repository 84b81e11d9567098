from __future__ import annotations

import inspect
import re

import pytest

from tickertape import errors
from tickertape.errors import TickertapeError

CLASSES = [
    value
    for value in vars(errors).values()
    if inspect.isclass(value) and issubclass(value, TickertapeError)
]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_stands_in_the_printed_tree(kind: type[TickertapeError]) -> None:
    found = re.search(rf"^(\W*){kind.__name__} +(\d?)", errors.__doc__ or "", re.MULTILINE)
    assert found is not None
    depth = len(found[1]) // 4 - 1
    assert len(kind.__mro__) - len(TickertapeError.__mro__) == depth
    assert kind.exit_code >= 2
    assert not found[2] or int(found[2]) == kind.exit_code


@pytest.mark.parametrize("kind", CLASSES)
def test_an_error_is_one_line_that_ends_in_what_to_do(kind: type[TickertapeError]) -> None:
    error = kind("the disk\n is full", "free some\nspace")
    assert str(error) == "the disk is full; free some space"
    assert error.advice == "free some space"
