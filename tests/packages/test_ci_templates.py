"""The jobs of examples/ci: the servers accept the files, and the commands record and check."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.support.programs import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.packages import Environment

pytestmark = pytest.mark.process

TEMPLATES = ROOT / "examples/ci"


def job_of_github() -> tuple[list[str], list[str]]:
    """Return the command lines of the job, and the files that it stores."""
    # In YAML 1.1, the key `on` means true.
    job: dict[str, Any] = yaml.safe_load((TEMPLATES / "github.yml").read_text())["jobs"]["timing"]
    lines = [line for step in job["steps"] for line in step.get("run", "").splitlines()]
    return lines, job["steps"][-1]["with"]["path"].split()


def job_of_gitlab() -> tuple[list[str], list[str]]:
    job = yaml.safe_load((TEMPLATES / "gitlab.yml").read_text())["timing"]
    kept = [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]
    return [*job["before_script"], *job["script"]], kept


@pytest.mark.parametrize(
    ("schema", "name"), [("github-workflows", "github.yml"), ("gitlab-ci", "gitlab.yml")]
)
def test_a_file_suits_its_server(schema: str, name: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run([*command, TEMPLATES / name], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_both_jobs_do_the_same_and_the_image_has_their_packages() -> None:
    (github, kept), (gitlab, kept_there) = job_of_github(), job_of_gitlab()
    assert [line.removeprefix("sudo ") for line in github] == gitlab
    assert sorted(kept) == sorted(kept_there)
    (install,) = [line for line in gitlab if "apt-get install" in line]
    packages = set(install.split()[3:])
    image = (TEMPLATES / "Dockerfile").read_text()
    (listed,) = re.findall(r"--no-install-recommends \\\n(.*?)\\\n", image, re.DOTALL)
    assert packages <= set(listed.split())


def test_the_commands_record_and_check(installed: Environment, tmp_path: Path) -> None:
    shutil.copy(TEMPLATES / "timing.yaml", tmp_path)
    lines, kept = job_of_github()
    commands = [shlex.split(line) for line in lines if line.startswith("tickertape ")]
    assert [words[1] for words in commands] == ["run", "check"]
    done = [installed.run(*words, cwd=tmp_path) for words in commands]
    assert [one.returncode for one in done] == [0, 0], done[-1].stdout + done[-1].stderr
    assert "3 PASS, 0 FAIL, 0 UNKNOWN" in done[1].stdout
    assert all((tmp_path / name).stat().st_size for name in kept)
    suite = ET.parse(tmp_path / "timing.xml").getroot()  # noqa: S314 - our own file
    assert len(list(suite.iter("testcase"))) == 3

    (tmp_path / "timing.yaml").write_text("requirements: [{response: control, max: 1 us}]")
    assert installed.run(*commands[1], cwd=tmp_path).returncode == 1
