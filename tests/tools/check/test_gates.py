"""The list of gates: each gate reports its failures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.check import __main__ as command
from tools.check import c_compile, process
from tools.check.gates import GATES, Gate


def test_a_silent_failure_is_a_complaint(tmp_path: Path) -> None:
    fails = [sys.executable, "-c", "raise SystemExit(3)"]
    assert process.complaints(fails, tmp_path) == [f"{sys.executable} failed with exit code 3"]
    assert process.complaints([sys.executable, "-c", "print('fine')"], tmp_path) == []


def test_a_missing_tool_is_a_complaint(tmp_path: Path) -> None:
    assert process.complaints(["no-such-tool"], tmp_path) == [
        "no-such-tool is not installed; type: make setup"
    ]


@pytest.mark.parametrize("problems", [[], ["a.c:1: bad"]])
def test_the_exit_code_tells(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], problems: list[str]
) -> None:
    monkeypatch.setattr(command, "GATES", (Gate("mypy", lambda _root: problems),))
    monkeypatch.setattr(sys, "argv", ["check"])
    assert command.main() == len(problems)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == ("FAILED: mypy" if problems else "all gates passed")
    assert [line.strip() for line in lines[1:-1]] == problems


def test_gates_have_names_of_their_own() -> None:
    names = [gate.name for gate in GATES]
    assert len(set(names)) == len(names)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a repository with a folder for the core."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "firmware/core").mkdir(parents=True)
    return tmp_path


# Profiles that compile no sources of the core: without the tracer, or boards only.
NO_CORE = {"tracer off", "STM32F4", "RTT", "SWO", "DMA", "M55"}
CORES = {"M0", "M23", "M3", "M4F", "M33", "two M33"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("int f(int a);\nint f(int a)\n{\n    return a + 1;\n}\n", ""),
        ("int f(int a)\n{\n    return a;\n}\n", "-Werror=missing-prototypes"),
        ("char f(int a);\nchar f(int a)\n{\n    return a;\n}\n", "-Werror=conversion"),
    ],
)
def test_the_compilers_judge_every_processor(project: Path, text: str, complaint: str) -> None:
    (project / "firmware/core/a.c").write_text(text)
    found = "\n".join(c_compile.compile_all(project))
    count = found.count(complaint) if complaint else len(found)
    assert count == (len(c_compile.PROFILES) - len(NO_CORE) if complaint else 0)


@pytest.mark.parametrize("folder", ["firmware/core", "host/posix", "firmware/ports/zephyr/src"])
def test_clang_tidy_judges(project: Path, folder: str) -> None:
    text = "int f(int a);\nint f(int a)\n{\n    return a == a;\n}\n"
    (project / folder).mkdir(parents=True, exist_ok=True)
    (project / folder / "a.c").write_text(text)
    (project / ".clang-tidy").write_text((command.ROOT / ".clang-tidy").read_text())
    found = c_compile.tidy_all(project)
    assert any("[misc-redundant-expression" in line for line in found), found


@pytest.mark.parametrize(
    ("source", "profiles"),
    [
        ("firmware/core/a.c", {p.name for p in c_compile.PROFILES} - NO_CORE),
        ("firmware/kernel/a.c", {*CORES, "M55", "Linux", "tracer off"}),
        ("firmware/kernel/ports/native/a.c", {"Linux"}),
        ("firmware/boards/mps2/a.c", {"M3", "M4F", "M55", "two M33", "memory link"}),
        ("firmware/boards/stm32f4/a.c", {"STM32F4", "RTT", "SWO", "DMA"}),
        (
            "firmware/boards/cortex_m/a.c",
            {"M0", "M3", "M4F", "M55", "two M33", "STM32F4", "RTT", "SWO", "DMA", "memory link"},
        ),
        ("firmware/bench/masked/a.c", {"M3", "M4F", "two M33"}),
    ],
)
def test_sources_go_where_they_belong(source: str, profiles: set[str]) -> None:
    path = Path(source)
    assert {p.name for p in c_compile.PROFILES if p.takes(path)} == profiles
