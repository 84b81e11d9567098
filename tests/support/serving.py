"""A target that `tickertape serve` shares."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.support.command import COMMAND

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def serving(folder: Path, *words: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """Serve the example in QEMU until the end of the block; its first line was read."""
    command = [str(COMMAND), "serve", "--target", "qemu", "--realtime", *words]
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
