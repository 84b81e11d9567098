"""Make covering arrays: few rows that contain every pair of values of any two axes."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Row = dict[str, str]
"""Value by axis."""
Pair = frozenset[tuple[str, str]]
"""Two tuples of axis and value, with different axes."""
CANDIDATES = 8


def pairs_of(row: Mapping[str, str]) -> set[Pair]:
    """Return every pair of values of a complete or partial row."""
    return {frozenset(pair) for pair in combinations(row.items(), 2)}


def possible_pairs(
    axes: Mapping[str, Sequence[str]], allowed: Callable[[Mapping[str, str]], bool]
) -> set[Pair]:
    """Return the pairs that an allowed row can contain.

    `allowed` accepts or refuses complete and partial rows: it refuses a row with two values that
    exclude each other.
    """
    return {
        frozenset(((one, a), (two, b)))
        for one, two in combinations(axes, 2)
        for a in axes[one]
        for b in axes[two]
        if _is_completable(axes, allowed, {one: a, two: b})
    }


def _is_completable(
    axes: Mapping[str, Sequence[str]], allowed: Callable[[Mapping[str, str]], bool], row: Row
) -> bool:
    """Return whether an allowed complete row contains this partial row."""
    if not allowed(row):
        return False
    axis = next((axis for axis in axes if axis not in row), None)
    return axis is None or any(
        _is_completable(axes, allowed, {**row, axis: value}) for value in axes[axis]
    )


def covering_array(
    axes: Mapping[str, Sequence[str]],
    allowed: Callable[[Mapping[str, str]], bool],
    seed: int = 0,
) -> list[Row]:
    """Return rows that contain every possible pair; equal for equal seeds.

    Greedy algorithm (D. Cohen et al., "The AETG system", 1997): each row begins with a missing
    pair; of several random completions, the one with the most missing pairs is kept.
    """
    random = Random(seed)
    missing = possible_pairs(axes, allowed)
    rows: list[Row] = []
    while missing:
        first = random.choice(sorted(map(sorted, missing)))
        rows_of_first = _completions(axes, allowed, dict(first), missing, random)
        best = max(rows_of_first, key=partial(_covered, missing))
        rows.append({axis: best[axis] for axis in axes})
        missing -= pairs_of(best)
    return rows


def _covered(missing: set[Pair], row: Row) -> int:
    return len(pairs_of(row) & missing)


def _new_pairs(row: Row, axis: str, value: str, missing: set[Pair]) -> int:
    """Return the number of missing pairs that a value adds to a partial row."""
    return sum(frozenset((other, (axis, value))) in missing for other in row.items())


def _completions(
    axes: Mapping[str, Sequence[str]],
    allowed: Callable[[Mapping[str, str]], bool],
    first: Row,
    missing: set[Pair],
    random: Random,
) -> Iterator[Row]:
    """Yield completions of a pair, in random orders of the axes; each step takes the best value."""
    for _ in range(CANDIDATES):
        row = dict(first)
        rest = [axis for axis in axes if axis not in row]
        random.shuffle(rest)
        for axis in rest:
            values = [value for value in axes[axis] if allowed({**row, axis: value})]
            if not values:
                break
            random.shuffle(values)
            gains = [_new_pairs(row, axis, value, missing) for value in values]
            row[axis] = values[gains.index(max(gains))]
        else:
            yield row
