"""Every command that writes, on a disk whose calls fail: exit code 4, and no file is changed."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.golden import REPEATED
from tests.support.patience import HANG_S
from tests.support.row_tapes import row_tape
from tests.support.target import target_with_events
from tickertape.collector import CaptureOptions, capture
from tickertape.link.memory import MemoryLink

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCE = Path(__file__).with_name("failing_calls.c")
SPEC = "requirements:\n  - response: producer\n    max: 1s\n"
COMMANDS = {
    "repair": ("repair", "damaged.tape"),
    "cut": ("cut", "T.tape", "-o", "T.tape", "--to", "1us"),
    "cut to another": ("cut", "A.tape", "-o", "T.tape", "--to", "1us"),
    "note": ("note", "T.tape", "a remark"),
    "btf": ("export", "btf", "A.tape", "-o", "T.btf"),
    "chrome": ("export", "chrome", "A.tape", "-o", "T.json"),
    "ctf": ("export", "ctf", "A.tape", "-o", "T.ctf"),
    "jtracer": ("export", "jtracer", "A.tape", "-o", "T.jtracer"),
    "kev": ("export", "kev", "A.tape", "-o", "in.kev"),
    "perfetto": ("export", "perfetto", "A.tape", "-o", "T.pftrace"),
    "shark": ("export", "shark", "A.tape", "-o", "T.shark"),
    "ktrace": ("ktrace", "A.tape", "-o", "T.tra"),
    "junit": ("check", "A.tape", "--spec", "s.yaml", "--junit", "T.xml"),
    "html": ("stats", "A.tape", "--html", "T.html"),
    "view": ("view", "A.tape", "--html", "T.html", "--read-only"),
    "spec": ("spec", "init", "L.tape", "-o", "T.yaml"),
    "import": ("import", "kev", "in.kev", "-o", "T.tape"),
}
CALLS = [(call, errno.EIO) for call in ("fsync", "write", "rename")]
FULL = [("fsync", errno.ENOSPC), ("write", errno.EDQUOT)]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("preload") / "failing_calls.so"
    compiler = shutil.which("cc") or "gcc"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", path, SOURCE, "-ldl"], check=True)
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a file of each kind that the commands read or replace."""
    folder = tmp_path_factory.mktemp("made")
    target = target_with_events()
    target.finish()
    (folder / "link.raw").write_bytes(target.sent_bytes())
    link = MemoryLink([target.sent_bytes()])
    capture(link, folder / "A.tape", CaptureOptions(handle_signals=False))
    shutil.copy(folder / "A.tape", folder / "T.tape")
    (folder / "damaged.tape").write_bytes((folder / "A.tape").read_bytes()[:-50])
    row_tape(folder / "L.tape", REPEATED)
    (folder / "s.yaml").write_text(SPEC, encoding="utf-8")
    assert run(folder, "export", "kev", "A.tape", "-o", "in.kev").returncode == 0
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "disk"))


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tickertape", *words],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )


def run_failing(
    folder: Path, library: Path, words: tuple[str, ...], call: str, error: int
) -> subprocess.CompletedProcess[str]:
    return run(
        folder,
        *words,
        LD_PRELOAD=str(library),
        FAIL_CALL=call,
        FAIL_AT="1",
        FAIL_ERRNO=str(error),
        FAIL_NAME=str(folder),
    )


def contents(folder: Path) -> Mapping[str, bytes]:
    return {
        str(one.relative_to(folder)): one.read_bytes()
        for one in sorted(folder.rglob("*"))
        if one.is_file()
    }


def cases() -> list[tuple[str, str, int]]:
    """Return commands, calls and errors; `note` renames nothing."""
    found = [
        (name, *case)
        for name in COMMANDS
        for case in CALLS
        if (name, case[0]) != ("note", "rename")
    ]
    return found + [(name, *case) for name in ("repair", "cut", "note", "btf") for case in FULL]


@pytest.mark.parametrize(("name", "call", "error"), cases())
def test_a_failing_call_is_reported_and_changes_nothing(
    folder: Path, library: Path, name: str, call: str, error: int
) -> None:
    before = contents(folder)
    done = run_failing(folder, library, COMMANDS[name], call, error)
    assert done.returncode == 4, done.stderr
    assert os.strerror(error) in done.stderr
    assert "Traceback" not in done.stderr
    assert contents(folder) == before
    assert not [one for one in folder.iterdir() if one.name.startswith(".")]


@pytest.mark.parametrize(("call", "error"), [*CALLS, *FULL])
def test_a_capture_on_a_failing_disk_keeps_the_older_tape(
    folder: Path, library: Path, call: str, error: int
) -> None:
    before = (folder / "T.tape").read_bytes()
    words = ("capture", "file:link.raw", "-o", "T.tape")
    done = run_failing(folder, library, words, call, error)
    assert done.returncode == 4, done.stderr
    assert os.strerror(error) in done.stderr
    kept = folder / "T.tape.old"
    assert (kept if kept.exists() else folder / "T.tape").read_bytes() == before
    assert not [one for one in folder.iterdir() if one.name.startswith(".")]
