"""Platform files, scripts and suites for Renode use only names that Renode has."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.renode.files import (
    RENODE,
    ROOT,
    command_problem,
    platform_problems,
    read_names,
    script_problems,
)
from tools import renode_images

HERE = Path(__file__).parent
NAMES = read_names()
PLATFORMS = sorted((RENODE / "platforms").glob("*.repl"))
SCRIPTS = sorted((RENODE / "scripts").glob("*.resc"))
SUITES = sorted((RENODE / "robot").glob("*.robot"))
_COMMAND = re.compile(r"^ +Execute Command {2,}(.+)$", re.MULTILINE)


@pytest.mark.parametrize("path", PLATFORMS, ids=lambda path: path.name)
def test_a_platform_file_uses_what_renode_has(path: Path) -> None:
    assert platform_problems(path.read_text(encoding="utf-8"), NAMES) == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_uses_what_renode_has(path: Path) -> None:
    assert script_problems(path.read_text(encoding="utf-8"), path.parent, NAMES) == []


def test_there_is_something_to_check() -> None:
    assert [len(PLATFORMS), len(SCRIPTS)] == [4, 2]
    assert len(SUITES) >= 5


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("dwt: Miscellaneous.DWTX @ sysbus 0", "1: no model Miscellaneous.DWTX"),
        ("dwt: Miscellaneous.DWT @ sysbus 0\n    hz: 1", "2: Miscellaneous.DWT has no property hz"),
        ("t: Timers.Arm_CMSDK_Timer @ sysbus 0\n    -> nvic@8", "2: wire to nvic"),
        ("t: Miscellaneous.DWT @ sysbus 0\n    -> t@8", "2: Miscellaneous.DWT has no output IRQ"),
        ("u: UART.CMSDK_APB_UART @ sysbus 0\n    Interrupt -> u@1", "has no output Interrupt"),
        ('using "platforms/boards/none.repl"', "1: no platform"),
        ("timer2:\n    frequency: 1", "1: no model of timer2"),
        ("what is this", "1: cannot be read"),
    ],
)  # fmt: skip
def test_a_wrong_platform_file_is_found(line: str, problem: str) -> None:
    assert problem in "\n".join(platform_problems(line, NAMES))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("mach creat x", "1: no command mach creat x"),
        ("runMacro $none", "1: $none has no value"),
        ("include $ORIGIN/none.cs", "1: no file none.cs"),
    ],
)
def test_a_wrong_script_is_found(line: str, problem: str) -> None:
    assert problem in script_problems(line, RENODE, NAMES)


def run_robot(output: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    modifier = HERE / "with_renode_keywords.py"
    command = [sys.executable, "-m", "robot", "--pythonpath", str(ROOT)]
    command += ["--prerunmodifier", str(modifier), "-d", str(output), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def dry_run(suite: Path, output: Path) -> subprocess.CompletedProcess[str]:
    return run_robot(output, "--dryrun", suite)


@pytest.mark.parametrize("suite", SUITES, ids=lambda path: path.name)
def test_a_suite_uses_keywords_and_commands_that_renode_has(suite: Path, tmp_path: Path) -> None:
    done = dry_run(suite, tmp_path)
    assert done.returncode == 0, done.stdout
    assert "0 tests" not in done.stdout
    commands = _COMMAND.findall(suite.read_text(encoding="utf-8"))
    commands += _COMMAND.findall((RENODE / "robot/tickertape.resource").read_text(encoding="utf-8"))
    assert commands
    known = [re.sub(r"\$\{\w+\}", "uart0", command) for command in commands]
    assert [problem for command in known if (problem := command_problem(command, NAMES))] == []


@pytest.mark.parametrize(
    "step", ["Start Emulations", "Wait For Log Entry    a    lasting=1", "Start Emulation    now"]
)
def test_a_keyword_that_renode_does_not_have_fails(step: str, tmp_path: Path) -> None:
    suite = tmp_path / "wrong.robot"
    suite.write_text(f"*** Test Cases ***\nWrong\n    {step}\n", encoding="utf-8")
    assert dry_run(suite, tmp_path).returncode == 1


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture(name="images", scope="module")
def fixture_images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the images and references of `make renode`, without Zephyr's images."""
    folder = tmp_path_factory.mktemp("images")
    renode_images.build(folder)
    renode_images.build_vectors(folder)
    renode_images.record_references(folder)
    return folder


@pytest.mark.parametrize(
    ("platform", "tests", "counts"),
    [
        ("mps2-an385", ["--exclude", "zephyr"], "15 tests, 15 passed, 0 failed"),
        ("stm32f4", ["--include", "boot"], "7 tests, 7 passed, 0 failed"),
    ],
)
def test_suites_pass_where_the_machine_is_qemu(
    images: Path, tmp_path: Path, platform: str, tests: list[str], counts: str
) -> None:
    """Run the suites on the substitute, except for resets, hooks and Zephyr's UART1."""
    variables = {
        "IMAGES": images,
        "PORT": free_port(),
        "TAPES": tmp_path,
        "PLATFORM": platform,
        "LASTS_MS": 10000,
    }
    words = [f"--variable={name}:{value}" for name, value in variables.items()]
    done = run_robot(tmp_path, *words, *tests, "--exclude", "only-renode", RENODE / "robot")
    assert done.returncode == 0, done.stdout
    assert counts in done.stdout


def test_what_another_platform_cannot_show_is_skipped(images: Path, tmp_path: Path) -> None:
    words = [f"--variable=IMAGES:{images}", "--variable=PLATFORM:stm32f4"]
    tests = ["--test", "*Storm*", "--test", "*Hello*", "--test", "Philosophers*"]
    done = run_robot(tmp_path, *words, *tests, RENODE / "robot")
    assert "3 tests, 0 passed, 0 failed, 3 skipped" in done.stdout, done.stdout
    assert "exact counts need a Cortex-M3, not stm32f4" in done.stdout
