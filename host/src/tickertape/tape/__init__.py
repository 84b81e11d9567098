"""Trace files: bytes (`format`), `writer`, `reader`, all events in order of time (`stream`)."""

from tickertape.tape.reader import TapeReader
from tickertape.tape.stream import iter_events
from tickertape.tape.writer import TapeWriter

__all__ = ["TapeReader", "TapeWriter", "iter_events"]
