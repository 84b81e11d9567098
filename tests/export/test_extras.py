"""A command whose package is not installed says what to type."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from tickertape.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("module", "words", "what", "extra"),
    [
        (
            "perfetto.protos.perfetto.trace.perfetto_trace_pb2",
            ("export", "perfetto", "some.tape"),
            "traces for Perfetto need perfetto",
            "perfetto",
        ),
        ("pyarrow", ("export", "parquet", "some.tape"), "tables need pyarrow", "arrow"),
        ("dask", ("fleet", "export", "."), "fleets need dask", "fleet"),
    ],
)
def test_what_is_missing_is_said(
    module: str,
    words: tuple[str, ...],
    what: str,
    extra: str,
    tape: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.chdir(tape.parent)
    assert main([*words, "-o", "x"]) == 2
    advice = f"type: {shlex.quote(sys.executable)} -m pip install 'tickertape[{extra}]'"
    assert capsys.readouterr().err == f"tickertape: {what}, which is not installed; {advice}\n"
