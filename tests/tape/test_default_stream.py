"""The default stream, which is read if the user chose none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.tapes import buffer
from tests.support.wire_bytes import hello_body
from tickertape.errors import UsageError
from tickertape.formats.ktrace.write import stream_of
from tickertape.formats.ring_ends import chosen_stream
from tickertape.tape import TapeReader, TapeWriter

if TYPE_CHECKING:
    from pathlib import Path


def test_it_is_the_lowest_one_with_records(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.hello(hello_body())
        writer.status(0, 0, bytes(64))  # the stream exists, without records on the tape
        writer.buffer(2, 0, buffer(0, 3))
        writer.buffer(1, 0, buffer(0, 5))
        writer.new_epoch()
        writer.hello(hello_body(boot_id=2))
        writer.buffer(2, 0, buffer(0, 1))
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.default_stream() == reader.default_stream(0) == 1
        assert reader.default_stream(1) == 2
        assert chosen_stream(reader, None) == stream_of(reader) == 1
        assert (chosen_stream(reader, None, 1), chosen_stream(reader, 0)) == (2, 0)
        with pytest.raises(UsageError, match="no stream 1 in boot 1"):
            chosen_stream(reader, 1, 1)


def test_without_records_it_is_the_lowest_of_all(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.hello(hello_body())
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.default_stream() == 0
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.hello(hello_body())
        writer.status(3, 0, bytes(64))
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.default_stream() == chosen_stream(reader, None) == 3
