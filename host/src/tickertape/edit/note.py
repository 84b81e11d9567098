"""Add a remark to a closed tape."""

from __future__ import annotations

from pathlib import Path

from tickertape.files import locked_if_there
from tickertape.protocol.wire import ChunkType
from tickertape.tape.append import append_chunk, closed_tape
from tickertape.tape.reader import TapeReader


def add_note(path: Path | str, text: str) -> None:
    """Add a remark; `tape.append` describes the effect of an interruption.

    Args:
        path: path of a tape that was closed in order and is not being written.
        text: the remark.

    Raises:
        TapeError: the file is not a tape, or the tape is not closed.
        TapeBusy: another program writes the tape.
        TapeWriteFailed: the file cannot be written.
    """
    path = Path(path)
    with locked_if_there(path):
        with TapeReader(path) as reader:
            tape = closed_tape(reader)
        append_chunk(tape, ChunkType.NOTE, text.encode())
