"""A whole capture in one call."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tickertape.collector.collector import Collector, StopReason
from tickertape.collector.recent import RecentWriter
from tickertape.collector.signals import stopping_on_signals
from tickertape.collector.sink import NoTape
from tickertape.collector.watching import Watching
from tickertape.edit.rotate import RotatingWriter
from tickertape.errors import FirmwareError, TapeError, TapeWriteFailed
from tickertape.link.raw_file import RawFile, kept
from tickertape.tape.symbol_table import SymbolRow, build_symbols
from tickertape.tape.writer import TapeWriter
from tickertape.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tickertape.collector.collector import CaptureResult, Progress
    from tickertape.collector.watching import Watcher
    from tickertape.decode.frames import Frame
    from tickertape.edit.rotate import Rotation
    from tickertape.link.base import Link
    from tickertape.symbols.elf import Symbols

    Writer = TapeWriter | RecentWriter


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """Options of a capture.

    Attributes:
        duration_s: seconds of the host's clock to capture; None: until the link ends.
        stop_when_final: end as soon as every ring has sent its final STATUS.
        meta: facts to store on the tape, JSON values.
        on_progress: called about four times a second.
        on_frame: called with each good frame as soon as it arrives; must not wait.
        handle_signals: end the capture gracefully at SIGINT and SIGTERM (main thread only).
        rotation: when to begin another tape; None: a single tape.
        symbols: symbols of the firmware, whose names are stored on the tape; None: no names.
        watcher: reads the events during the capture and may end it; None: no watcher.
        patient: the target's clock waits for the link, so the capture may wait for the watcher.
        keep_s: write only the last `keep_s` seconds of the target's clock; None: everything. Not
            with `rotation`.
        raw: file for a copy of the bytes of the link; None: no copy. A failed write ends only the
            copy and is one of the problems of the result.
        on_begin: called once with a function that ends the capture gracefully; that function may be
            called from any thread.
    """

    duration_s: float | None = None
    stop_when_final: bool = False
    meta: Mapping[str, object] | None = None
    on_progress: Callable[[Progress], None] | None = None
    on_frame: Callable[[Frame], None] | None = None
    handle_signals: bool = True
    rotation: Rotation | None = None
    symbols: Symbols | None = None
    watcher: Watcher | None = None
    patient: bool = False
    keep_s: float | None = None
    raw: Path | None = None
    on_begin: Callable[[Callable[[], None]], None] | None = None


def capture(
    link: Link, path: Path | str | None, options: CaptureOptions | None = None
) -> CaptureResult:
    """Capture from an open link to a new tape, and close the tape. The link stays open.

    An existing tape at `path` is kept as `NAME.old` when the first record arrives; without a record
    it stays as it is, and `CaptureResult.tapes` is empty.

    With rotation, `CaptureResult.tapes` lists several tapes with numbers in their names. With
    `path` None, no tape is written; `options.on_frame` still gets the frames, and the result
    contains the balance.

    Raises:
        TapeBusy: another program writes the tape.
        TapeWriteFailed: the tape or the raw file cannot be created. Later failures are in the
            result.
    """
    options = options or CaptureOptions()
    with _keeping(link, options.raw) as (source, raw):
        result = _captured(source, path, options)
    if raw is None or raw.failure is None:
        return result
    return replace(result, problems=(*result.problems, raw.failure))


@contextmanager
def _keeping(link: Link, path: Path | None) -> Iterator[tuple[Link, RawFile | None]]:
    """Yield the link, and the file that its bytes are copied to if `path` is given."""
    if path is None:
        yield link, None
        return
    raw = RawFile(path)
    try:
        yield kept(link, raw), raw
    finally:
        raw.close()


def _captured(link: Link, path: Path | str | None, options: CaptureOptions) -> CaptureResult:
    """Capture to `path`; the caller has set up the copy of the raw bytes."""
    meta = {"program": f"tickertape {__version__}", "link": link.name, **(options.meta or {})}
    writer = NoTape() if path is None else _writer(path, options, meta)
    watcher = options.watcher
    watching = None if watcher is None else Watching(writer, link.name, watcher)
    sink = watching or writer
    collector = Collector(
        link,
        sink,
        on_progress=options.on_progress,
        on_frame=options.on_frame,
        symbols=options.symbols,
    )
    if options.on_begin is not None:
        options.on_begin(collector.stop)
    if watching is not None:
        watching.start(collector.stop, waits=options.patient or not link.live)
    guard = stopping_on_signals(collector.stop) if options.handle_signals else nullcontext()
    with guard:
        try:
            result = collector.run(
                duration_s=options.duration_s, stop_when_final=options.stop_when_final
            )
        except BaseException:
            if watching is not None:
                watching.abandon()
            raise
        finally:
            failure = _close(writer, collector)
        if watching is not None:
            watching.finish()
            if watching.has_stopped and result.reason is StopReason.END:
                result = replace(result, reason=StopReason.STOPPED)
    doubt = _other_build(options.symbols, result)
    problems = result.problems if doubt is None else (*result.problems, doubt)
    tapes = () if isinstance(writer, NoTape) or not writer.is_named else tuple(writer.parts)
    result = replace(result, tapes=tapes, problems=problems)
    if failure is None:
        return result
    return replace(result, reason=StopReason.FAILED, problems=(failure, *result.problems))


def _writer(path: Path | str, options: CaptureOptions, meta: Mapping[str, object]) -> Writer:
    """Create the tape and store what is known before the first byte: meta and symbols."""
    writer: Writer
    if options.keep_s is not None:
        writer = RecentWriter(
            path, options.keep_s, meta={**meta, "kept_s": options.keep_s}, waits=True
        )
    elif options.rotation is None:
        writer = TapeWriter(path, meta=meta, waits=True)
    else:
        writer = RotatingWriter(path, options.rotation, meta=meta, waits=True)
    if options.symbols is not None:
        rows = (SymbolRow(one.address, one.size_bytes, one.name) for one in options.symbols)
        try:
            writer.symbols(build_symbols(options.symbols.build_id, rows))
        except TapeWriteFailed:
            writer.close()
            raise
    return writer


def _other_build(symbols: Symbols | None, result: CaptureResult) -> FirmwareError | None:
    """Return an error if the symbols belong to another build than the target's firmware."""
    hello = result.progress.hello
    if symbols is None or hello is None:
        return None
    try:
        symbols.require_build(bytes.fromhex(hello.build_id), force=False)
    except FirmwareError as error:
        return FirmwareError(
            f"{error.problem}, so its names will not be used", "capture with the right ELF file"
        )
    return None


def _close(writer: Writer | NoTape, collector: Collector) -> TapeError | None:
    try:
        for remark in collector.remarks():
            writer.note(remark)
        writer.close()
    except TapeError as error:
        writer.close()  # closes the file; after a failed write it does not raise again
        return error
    return None
