"""Trace files: `format` the bytes, `writer`, `reader`, `stream` all events in order of time."""

from tickertape.tape.reader import TapeReader
from tickertape.tape.stream import iter_events
from tickertape.tape.writer import TapeWriter

__all__ = ["TapeReader", "TapeWriter", "iter_events"]
