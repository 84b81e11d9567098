"""Events as a table of Apache Arrow, for pandas, polars, DuckDB and Parquet.

pyarrow is an extra: `pip install tickertape[arrow]`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape.errors import UsageError
from tickertape.protocol.lookup import class_name, event_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tickertape.decode.events import EventColumns

_CLASS_SHIFT: Final = 10
_EVENT_MASK: Final = (1 << _CLASS_SHIFT) - 1
_NS_PER_S: Final = 1_000_000_000
_NUMBERS: Final = ("time", "stream", "cpu", "ordinal", "domain", "data0", "data1")


def table_of(parts: Iterable[EventColumns], tick_hz_of: Callable[[int], int]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Make a `pyarrow.Table` of events.

    Args:
        parts: the events.
        tick_hz_of: clock rate of a boot, by epoch.

    Raises:
        UsageError: pyarrow is not installed.
    """
    try:
        arrow = import_module("pyarrow")
    except ImportError as error:
        raise UsageError(
            "a table needs pyarrow, which is not installed", "pip install 'tickertape[arrow]'"
        ) from error
    names = arrow.dictionary(arrow.int32(), arrow.string())
    schema = arrow.schema(
        [
            ("epoch", arrow.uint16()),
            ("time_ns", arrow.uint64()),
            ("time", arrow.uint64()),
            ("stream", arrow.uint8()),
            ("cpu", arrow.uint8()),
            ("ordinal", arrow.uint64()),
            ("domain", arrow.uint8()),
            ("data0", arrow.uint32()),
            ("data1", arrow.uint32()),
            ("class", names),
            ("event", names),
            ("payload", arrow.binary()),
        ]
    )
    batches = [_batch(arrow, schema, part, tick_hz_of(part.epoch)) for part in parts if len(part)]
    return arrow.Table.from_batches(batches, schema).unify_dictionaries()


def _batch(arrow: Any, schema: Any, part: EventColumns, tick_hz: int) -> Any:  # noqa: ANN401
    whole, rest = np.divmod(part.time, np.uint64(tick_hz))
    time_ns = whole * np.uint64(_NS_PER_S) + rest * np.uint64(_NS_PER_S) // np.uint64(tick_hz)
    codes, number = np.unique(part.code, return_inverse=True)
    types = [event_type(code >> _CLASS_SHIFT, code & _EVENT_MASK) for code in codes.tolist()]
    columns = {
        "epoch": arrow.array(np.full(len(part), part.epoch, np.uint16)),
        "time_ns": arrow.array(time_ns),
        **{name: arrow.array(getattr(part, name)) for name in _NUMBERS},
        "class": _named(arrow, number, [class_name(what.class_number) for what in types]),
        "event": _named(arrow, number, [what.name for what in types]),
        "payload": _payloads(arrow, part),
    }
    return arrow.record_batch([columns[field.name] for field in schema], schema=schema)


def _named(arrow: Any, number: Any, names: list[str]) -> Any:  # noqa: ANN401
    """Give names by number; the same name may stand for several numbers."""
    kept, places = np.unique(np.array(names, object), return_inverse=True)
    return arrow.DictionaryArray.from_arrays(
        arrow.array(places[number].astype(np.int32)), arrow.array(kept.tolist(), arrow.string())
    )


def _payloads(arrow: Any, part: EventColumns) -> Any:  # noqa: ANN401
    values = (
        [None] * len(part)
        if (part.payload_offset < 0).all()
        else [
            part.payload_of(row) if offset >= 0 else None
            for row, offset in enumerate(part.payload_offset.tolist())
        ]
    )
    return arrow.array(values, arrow.binary())
