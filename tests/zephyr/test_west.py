"""`west tape` in a workspace, with west itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Done
from tests.support.patience import HANG_S
from tests.support.programs import ROOT
from tests.support.target import target_with_events

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

pytestmark = pytest.mark.process

MANIFEST = """
manifest:
  self: {path: app, west-commands: commands.yml}
  projects:
    - name: tickertape
      url: https://nowhere.invalid/tickertape
      west-commands: zephyr/west-commands.yml
"""
FLASH = """
from west.commands import WestCommand
class Flash(WestCommand):
    def __init__(self):
        super().__init__("flash", "", "", accepts_unknown_args=True)
    def do_add_parser(self, adder):
        return adder.add_parser(self.name)
    def do_run(self, args, unknown):
        print("flash", *unknown, flush=True)
        if "--broken" in unknown:
            raise SystemExit(7)
"""
COMMANDS = """
west-commands: [{file: flash.py, commands: [{name: flash, class: Flash}]}]
"""


@pytest.fixture
def west(tmp_path: Path) -> Command:
    """Make a workspace in the test's folder; return a function that runs west in it."""
    app, project = tmp_path / "app", tmp_path / "tickertape"
    app.mkdir()
    (app / "west.yml").write_text(MANIFEST)
    (app / "commands.yml").write_text(COMMANDS)
    (app / "flash.py").write_text(FLASH)
    shutil.copytree(ROOT / "zephyr", project / "zephyr")
    environment = {**os.environ, "HOME": str(tmp_path)}

    def run(*words: str | Path) -> Done:
        command = [sys.executable, "-m", "west", *map(str, words)]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=HANG_S,
        )
        return Done(command, done.returncode, done.stdout, done.stderr)

    for folder in (app, project):
        subprocess.run(["git", "init", "-q", folder], check=True, env=environment)
    assert run("init", "-l", "app").returncode == 0
    return run


def test_it_passes_on_words_output_and_exit_code(
    west: Command, tickertape: Command, tape: Path
) -> None:
    words = ("print", tape, "-n", "3", "--class", "SCHED")
    ours, direct = west("tape", *words), tickertape(*words)
    assert (ours.returncode, ours.stdout) == (0, direct.stdout)
    assert len(ours.stdout.splitlines()) == 3
    missing = west("tape", "info", "none.tape")
    assert missing.returncode == tickertape("info", "none.tape").returncode != 0
    assert "none.tape" in missing.stderr
    assert west("tape").stdout == west("tape", "help").stdout == tickertape("--help").stdout
    assert "record, read and control traces" in west("help").stdout


def test_flash_flashes_then_captures(west: Command, tmp_path: Path) -> None:
    target = target_with_events()
    target.finish()
    (tmp_path / "link").write_bytes(target.sent_bytes())
    done = west("tape", "flash", "link", "-o", "T.tape", "--", "--runner", "jlink")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("flash --runner jlink\n")
    info = west("tape", "info", "T.tape").stdout
    assert "83 offered = 83 delivered + 0 overwritten + 0 dropped + 0 damaged" in info
    broken = west("tape", "flash", "link", "-o", "U.tape", "--", "--broken")
    assert broken.returncode == 7
    assert not (tmp_path / "U.tape").exists()
