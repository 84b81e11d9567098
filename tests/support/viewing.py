"""`tickertape view` as a process that serves its page."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.support.command import COMMAND
from tests.support.patience import HANG_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page


@contextmanager
def viewing(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `view` in a folder; yield the process and the address of its page."""
    command = [str(COMMAND), "view", "--no-open", *words]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("open http://127.0.0.1:"), process.communicate(timeout=HANG_S)
            yield process, line.split()[1]
        finally:
            process.kill()


def opened(page: Page, address: str) -> None:
    """Open a page and wait until it handles keys."""
    page.goto(address)
    page.wait_for_selector("body[data-ready]")


def clock(ns: int) -> str:
    """Return a time in the format of the page."""
    return f"{ns // 10**9}.{ns % 10**9:09d}"
