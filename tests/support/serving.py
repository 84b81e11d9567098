"""Share a target with `tickertape serve`."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.support.command import COMMAND
from tests.support.patience import HANG_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def serving(folder: Path, *words: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Share the example in QEMU; yield the process, whose first line was read.

    The target runs longer than any host needs to start the programs of a test.
    """
    lasts = ("--realtime", "--duration", str(HANG_S))
    command = [str(COMMAND), "serve", "--target", "qemu", *lasts, *words]
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("serving at unix:")
        try:
            yield process
        finally:
            process.kill()
