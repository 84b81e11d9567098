"""`tickertape view --perfetto`: show a tape in Perfetto's own interface."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tickertape.cli.reading import reading_all
from tickertape.formats.source import Source
from tickertape.formats.timeline.perfetto import export_perfetto
from tickertape.view.perfetto_page import PerfettoServer, interface

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator


@contextmanager
def perfetto_server(arguments: argparse.Namespace) -> Iterator[PerfettoServer]:
    """Write the Perfetto trace of a tape to a temporary folder, and yield its server.

    Raises:
        UsageError: a package is not installed, or there is no such stream.
        TapeError: the tape cannot be read.
    """
    folder = interface()
    with TemporaryDirectory(prefix="tickertape-view-") as temporary:
        trace = Path(temporary) / "tape.pftrace"
        with reading_all(arguments) as (reader, tell):
            source = Source(reader, on_progress=tell)
            export_perfetto(source, trace, stream=arguments.stream)
        # The page shows the name as in the address, without decoding it.
        name = re.sub(r"[^\w.-]", "_", arguments.tape.name, flags=re.ASCII)
        yield PerfettoServer(folder, trace, f"{name}.pftrace", port=arguments.port)
