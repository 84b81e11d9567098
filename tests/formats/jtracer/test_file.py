"""JTracer files: every type of record, older versions, and foreign files."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from tests.formats.jtracer.packed import HEAD, packed
from tickertape.api.shark import JtracerRecord, JtracerType, read_jtracer
from tickertape.errors import ForeignFile, TapeMissing

if TYPE_CHECKING:
    from pathlib import Path


EACH_TYPE = [
    (packed(9, 0, 7, 3, tail=b"arm"), JtracerRecord(JtracerType.NAME, 0, 7, (), "arm")),
    (packed(0, 1, 7), JtracerRecord(JtracerType.ARRIVAL, 1, 7)),
    (packed(1, 2, 7, 5), JtracerRecord(JtracerType.SCHEDULE, 2, 7, (5,))),
    (packed(2, 3, 7, 5), JtracerRecord(JtracerType.DESCHEDULE, 3, 7, (5,))),
    (packed(4, 4, 7, 10, 20), JtracerRecord(JtracerType.POSTPONE, 4, 7, (10, 20))),
    (packed(5, 5, 7, 30), JtracerRecord(JtracerType.DEADLINE, 5, 7, (30,))),
    (packed(6, 6, 7, 2, 4, tail=b"lock"), JtracerRecord(JtracerType.WAIT, 6, 7, (2,), "lock")),
    (packed(7, 7, 7, 2, 0), JtracerRecord(JtracerType.SIGNAL, 7, 7, (2,), "")),
    (packed(10, 8, 7), JtracerRecord(JtracerType.MISS, 8, 7)),
    (packed(3, 9, 7, 5), JtracerRecord(JtracerType.END, 9, 7, (5,))),
    (packed(8, 10, 0), JtracerRecord(JtracerType.IDLE, 10, 0)),
    (packed(11, 11, 7, 1, 2), JtracerRecord(11, 11, 7, (1, 2))),  # an unknown type
]


def test_every_type_of_record(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(HEAD + b"".join(data for data, _ in EACH_TYPE))
    assert list(read_jtracer(path)) == [record for _, record in EACH_TYPE]


def test_an_older_version_names_no_cpu(tmp_path: Path) -> None:
    path = tmp_path / "j"
    path.write_bytes(b"version 1.1\0" + packed(1, 2, 7) + packed(3, 4, 7))
    assert [record.extras for record in read_jtracer(path)] == [(), ()]


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(packed(1, 2, 7), id="no CPU"),
        pytest.param(packed(0, 2, 7, 1), id="a word too many"),
        pytest.param(packed(9, 2, 7, 4, tail=b"arm"), id="name longer than the record"),
        pytest.param(packed(6, 2, 7, 4), id="no length of a name"),
        pytest.param(struct.pack(">2I", 8, 1), id="no task"),
        pytest.param(struct.pack(">I", 0xFFFFFFFF), id="size beyond all files"),
        pytest.param(packed(0, 2, 7)[:-1], id="cut in its words"),
        pytest.param(b"\0\0", id="cut in its size"),
    ],
)
def test_a_record_that_is_none_is_named_after_what_was_read(tmp_path: Path, wrong: bytes) -> None:
    path = tmp_path / "j"
    path.write_bytes(HEAD + packed(0, 1, 7) + wrong)
    records = read_jtracer(path)
    assert next(records) == JtracerRecord(JtracerType.ARRIVAL, 1, 7)
    with pytest.raises(ForeignFile, match="record 2 at byte 28 is cut or none of JTracer"):
        next(records)


@pytest.mark.parametrize("data", [b"", b"version 1.2", b"version x\0", b"PK\3\4" * 10])
def test_another_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "j"
    path.write_bytes(data)
    with pytest.raises(ForeignFile, match="is not a trace of JTracer"):
        next(read_jtracer(path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TapeMissing, match="there is no"):
        next(read_jtracer(str(tmp_path / "j")))
