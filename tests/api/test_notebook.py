"""The notebook of the documentation runs from the first cell to the last."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.support.patience import HANG_S

TOUR = Path(__file__).parents[2] / "docs/tour.ipynb"


@pytest.mark.process
def test_the_tour_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(TOUR, as_version=4)  # type: ignore[no-untyped-call]  # has no types
    assert not any(cell.get("outputs") for cell in notebook.cells), "stored without results"
    resources = {"metadata": {"path": str(tmp_path)}}
    client = NotebookClient(notebook, timeout=HANG_S, startup_timeout=HANG_S, resources=resources)
    client.execute()
    pages = [
        output["data"]["text/html"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    assert any("Balance" in page for page in pages)
    assert any("Response time of tasks" in page for page in pages)
    assert any("FAIL" in page and "<svg" in page for page in pages)
    assert any("inversion" in page for page in pages)
    assert any("image/png" in output.get("data", {}) for output in outputs_of(notebook))


def outputs_of(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]
