"""What happens to files that exist under the names of outputs."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.command import assert_complaint
from tests.support.golden import INVERSION, REPEATED
from tests.support.row_tapes import row_tape
from tests.support.target import target_with_events
from tickertape.files import AppendFile

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

STRANGE = {
    "program": b"\x7fELF\x01\x01\x01" + bytes(40),
    "source": b"int main(void) { return 0; }\n",
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(40),
    "specification": b"requirements:\n  - response: producer\n",
    "zip": b"PK\x03\x04" + bytes(40),
}
SPEC = "requirements:\n  - response: producer\n    max: 1s\n"
LINES = {
    "cut": ("cut", "T.tape", "-o", "out"),
    "repair": ("repair", "T.tape", "-o", "out"),
    "capture": ("capture", "file:link.raw", "-o", "out"),
    "btf": ("export", "btf", "T.tape", "-o", "out"),
    "chrome": ("export", "chrome", "T.tape", "-o", "out"),
    "jtracer": ("export", "jtracer", "T.tape", "-o", "out"),
    "kev": ("export", "kev", "T.tape", "-o", "out"),
    "perfetto": ("export", "perfetto", "T.tape", "-o", "out"),
    "ktrace": ("ktrace", "T.tape", "-o", "out", "--dbg", "text"),
    "display": ("export", "ktrace", "T.tape", "-o", "other", "--dbg", "out"),
    "drawing": ("ktrace", "T.tape", "-o", "other", "--dbg", "text", "--svg", "out"),
    "junit": ("check", "T.tape", "--spec", "s.yaml", "--junit", "out"),
    "html": ("stats", "T.tape", "--html", "out"),
    "waterfall": ("why", "I.tape", "--task", "high", "--svg", "out"),
    "page": ("view", "T.tape", "--html", "out", "--read-only"),
}


@pytest.fixture
def files(tape: Path, tmp_path: Path) -> Path:
    shutil.copy(tape, tmp_path / "T.tape")
    target = target_with_events()
    target.finish()
    (tmp_path / "link.raw").write_bytes(target.sent_bytes())
    (tmp_path / "s.yaml").write_text(SPEC, encoding="utf-8")
    row_tape(tmp_path / "I.tape", INVERSION)
    row_tape(tmp_path / "L.tape", REPEATED)
    return tmp_path


@pytest.mark.parametrize("name", LINES)
def test_an_output_replaces_its_own_kind_only(
    tickertape_inside: Command, files: Path, name: str
) -> None:
    line, out = LINES[name], files / "out"
    assert tickertape_inside(*line).returncode in {0, 1, 10}
    first = out.read_bytes()
    again = tickertape_inside(*line)
    assert again.returncode in {0, 1, 10}, again.stderr
    is_tape = name in {"cut", "repair", "capture"}
    assert ("the older out is now out.old" in again.stderr) == is_tape
    assert (files / "out.old").exists() == is_tape
    assert not is_tape or (files / "out.old").read_bytes() == first
    for what, data in STRANGE.items():
        out.write_bytes(data)
        assert_complaint(tickertape_inside(*line), 2, "out exists", "--force", "")
        assert out.read_bytes() == data, what
    assert tickertape_inside(*line, "--force").returncode in {0, 1, 10}
    assert out.read_bytes() != data


def test_a_specification_is_never_replaced(tickertape_inside: Command, files: Path) -> None:
    done = tickertape_inside("spec", "init", "L.tape", "-o", "s.yaml")
    assert_complaint(done, 2, "s.yaml exists", "--force")
    assert (files / "s.yaml").read_text(encoding="utf-8") == SPEC
    assert tickertape_inside("spec", "init", "L.tape", "-o", "s.yaml", "--force").returncode == 0
    assert (files / "s.yaml").read_text(encoding="utf-8") != SPEC


@pytest.mark.parametrize(
    "line",
    [
        ("check", "T.tape", "--spec", "s.yaml", "--junit", "s.yaml"),
        ("check", "T.tape", "--spec", "s.yaml", "--html", "s.yaml", "--force"),
        ("capture", "link.raw", "--check", "s.yaml", "-o", "s.yaml", "--force"),
        ("capture", "link.raw", "-o", "link.raw", "--force"),
        ("repair", "T.tape", "-o", "link"),
    ],
)
def test_an_input_is_never_an_output(
    tickertape_inside: Command, files: Path, line: tuple[str, ...]
) -> None:
    (files / "link").symlink_to("link.raw")
    before = {one: one.read_bytes() for one in files.iterdir()}
    assert tickertape_inside(*line).returncode == 2
    assert {one: one.read_bytes() for one in files.iterdir()} == before


def test_a_capture_without_a_record_leaves_the_older_tape(
    tickertape_inside: Command, files: Path
) -> None:
    (files / "noise").write_bytes(bytes(range(256)) * 40)
    before = (files / "T.tape").read_bytes()
    done = tickertape_inside("capture", "file:noise", "-o", "T.tape")
    assert "no tape (T.tape is as it was)" in done.stdout
    assert (files / "T.tape").read_bytes() == before
    assert not [one for one in files.iterdir() if one.name.startswith((".", "T.tape.old"))]


def test_repair_onto_the_same_name_keeps_the_original(
    tickertape_inside: Command, files: Path
) -> None:
    damaged = (files / "T.tape").read_bytes()[:-50]
    (files / "T.tape").write_bytes(damaged)
    done = tickertape_inside("repair", "T.tape")
    assert done.returncode == 0
    assert "the older T.tape is now T.tape.orig" in done.stderr
    assert (files / "T.tape.orig").read_bytes() == damaged
    (files / "T.tape").write_bytes(damaged)
    assert_complaint(tickertape_inside("repair", "T.tape"), 4, "T.tape.orig")
    assert (files / "T.tape").read_bytes() == damaged


@pytest.mark.parametrize(
    "line",
    [
        ("repair", "T.tape"),
        ("repair", "A.tape", "-o", "T.tape"),
        ("cut", "T.tape", "-o", "T.tape"),
        ("cut", "A.tape", "-o", "T.tape"),
        ("note", "T.tape", "a remark"),
        ("capture", "link.raw", "-o", "T.tape"),
        ("capture", "link.raw", "-o", "T.tape", "--check", "s.yaml", "--stop-on-fail", "2"),
        ("import", "kev", "in.kev", "-o", "T.tape"),
    ],
)
def test_a_tape_that_is_written_has_one_writer(
    tickertape_inside: Command, files: Path, line: tuple[str, ...]
) -> None:
    shutil.copy(files / "T.tape", files / "A.tape")
    assert tickertape_inside("export", "kev", "A.tape", "-o", "in.kev").returncode == 0
    data = (files / "T.tape").read_bytes()
    (files / "T.tape").unlink()
    writer = AppendFile(files / "T.tape", data)
    assert_complaint(tickertape_inside(*line), 4, "T.tape is being written by this process (")
    for reading in (("info", "T.tape"), ("print", "T.tape"), ("repair", "T.tape", "-o", "B.tape")):
        assert tickertape_inside(*reading).returncode == 0
    writer.append(b"")
    writer.close()
    assert (files / "T.tape").read_bytes() == data
    assert not (files / "T.tape.old").exists()


@pytest.mark.parametrize("output", [".", "/"])
@pytest.mark.parametrize("name", ["cut", "btf", "ktrace", "html", "capture"])
def test_an_output_without_a_name_is_one_line(
    tickertape_inside: Command, files: Path, name: str, output: str
) -> None:
    line = [
        output if word == "out" else word for word in LINES[name] if word not in {"--dbg", "text"}
    ]
    done = tickertape_inside(*line)
    assert done.returncode in {2, 4}
    assert len(done.stderr.splitlines()) == 1
    assert files.is_dir()
