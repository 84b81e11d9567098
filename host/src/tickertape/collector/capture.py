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
    """How to capture.

    Attributes:
        duration_s: how long, in seconds of the host; None until the link ends.
        stop_when_final: end as soon as every ring has sent its final STATUS.
        meta: facts to keep in the tape, JSON values.
        on_progress: called about four times a second.
        on_frame: called with each good frame as soon as it has come; must not wait.
        handle_signals: stop in order at SIGINT and SIGTERM (main thread only).
        rotation: when to begin another tape; None for a single one.
        symbols: the firmware whose names to put on the tape; None for none.
        watcher: reads along, and may end the capture; None for none.
        patient: the target's clock waits for the link, so the capture may wait for the watcher.
        keep_s: write only the last seconds, by the target's clock; None for all. Not with rotation.
        raw: a file for the bytes of the link as they came; None for none. Its failure is one of the
            problems of the result, and ends the copy only.
        on_begin: takes what ends the capture in order, from any thread; None where nothing does.
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
    """Capture from an open link into a new tape; the tape is closed, the link is not.

    With rotation there are several tapes, `CaptureResult.tapes`, with numbers in their names. With
    path None there is no tape: the frames are for `options.on_frame`, and the balance is kept.

    Raises:
        TapeWriteFailed: the tape, or the raw file, cannot be created. Later faults are in the
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
    """Copy the bytes of the link to a file, if one is wanted."""
    if path is None:
        yield link, None
        return
    raw = RawFile(path)
    try:
        yield kept(link, raw), raw
    finally:
        raw.close()


def _captured(link: Link, path: Path | str | None, options: CaptureOptions) -> CaptureResult:
    """Capture without a look at the raw bytes."""
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
    tapes = () if isinstance(writer, NoTape) else tuple(writer.parts)
    result = replace(result, tapes=tapes, problems=problems)
    if failure is None:
        return result
    return replace(result, reason=StopReason.FAILED, problems=(failure, *result.problems))


def _writer(path: Path | str, options: CaptureOptions, meta: Mapping[str, object]) -> Writer:
    """Create the tape with all that is known before the first byte comes."""
    writer: Writer
    if options.keep_s is not None:
        writer = RecentWriter(path, options.keep_s, meta={**meta, "kept_s": options.keep_s})
    elif options.rotation is None:
        writer = TapeWriter(path, meta=meta)
    else:
        writer = RotatingWriter(path, options.rotation, meta=meta)
    if options.symbols is not None:
        rows = (SymbolRow(one.address, one.size_bytes, one.name) for one in options.symbols)
        try:
            writer.symbols(build_symbols(options.symbols.build_id, rows))
        except TapeWriteFailed:
            writer.close()
            raise
    return writer


def _other_build(symbols: Symbols | None, result: CaptureResult) -> FirmwareError | None:
    """Return an error if the names on the tape are of another build than the target."""
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
        writer.close()  # frees the file; it raises no more after a failed write
        return error
    return None
