"""tools/lowest pins the lowest versions that pyproject.toml allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools import lowest

if TYPE_CHECKING:
    from pathlib import Path


def project(folder: Path, *requirements: str) -> Path:
    lines = ", ".join(f'"{one}"' for one in requirements)
    (folder / "pyproject.toml").write_text(f"[project]\ndependencies = [{lines}]\n")
    return folder


def test_each_requirement_is_pinned_to_its_lower_bound(tmp_path: Path) -> None:
    assert lowest.lowest(project(tmp_path, "a>=1.2", "b >= 0.5.1")) == ["a==1.2", "b==0.5.1"]
    assert "numpy==1.24" in lowest.lowest()


@pytest.mark.parametrize("requirement", ["a", "a<2", "a>=1,<2", "a==1"])
def test_a_requirement_without_one_lower_bound_is_refused(tmp_path: Path, requirement: str) -> None:
    with pytest.raises(ValueError, match="needs one lower bound"):
        lowest.lowest(project(tmp_path, requirement))


def test_versions_that_cannot_be_fetched_are_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lowest, "environment", lambda _pins: None)
    assert lowest.main() == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("not tested")
