"""Unexpected files: one error line, the right exit code, and no file destroyed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.command import COMMAND, Command, assert_complaint
from tests.support.target import target_with_events
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.support.command import Command

# Every command that reads one file and writes another; T is the input, O the output.
READ_AND_WRITE = [
    *(
        ("export", name, "T", "-o", "O")
        for name in ("btf", "chrome", "ctf", "jtracer", "kev", "parquet", "perfetto", "shark")
    ),
    *(
        ("import", name, "T", "-o", "O")
        for name in ("btf", "ftrace", "jtracer", "kev", "shark", "zephyr-ctf")
    ),
    ("import", "itm", "T", "-o", "O", "--hz", "1000"),
    ("capture", "T", "-o", "O"),
    ("capture", "file:T", "-o", "O"),
    ("capture", "swo:T", "-o", "O"),
    ("ktrace", "T", "-o", "O"),
    ("ktrace", "T", "-o", "other.tra", "--dbg", "O"),
    ("merge", "other.tape", "T", "-o", "O"),
    ("symbols", "T", "-o", "O"),
    ("udpdump", "T", "-o", "O"),
]
LINKS = ["same name", "symbolic link", "hard link"]


def with_names(words: Sequence[str], read: str, written: str) -> list[str]:
    """Return the words with file names in place of T and O."""
    names = {"T": read, "O": written}
    return [names.get(word, word.replace(":T", f":{read}")) for word in words]


@pytest.mark.parametrize("words", READ_AND_WRITE, ids=" ".join)
def test_what_is_read_is_not_written_over(
    tickertape_inside: Command, tape: Path, words: Sequence[str]
) -> None:
    before = tape.read_bytes()
    done = tickertape_inside(*with_names(words, tape.name, tape.name))
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert f"{tape.name} is the file to be read; give the output another name" in line
    assert tape.read_bytes() == before
    assert [path.name for path in tape.parent.iterdir()] == [tape.name]


@pytest.mark.parametrize("kind", LINKS)
def test_nor_under_another_name(tickertape_inside: Command, tape: Path, kind: str) -> None:
    before = tape.read_bytes()
    other = tape.with_name("other")
    match kind:
        case "same name":
            other = tape.parent / ".." / tape.parent.name / tape.name
        case "symbolic link":
            other.symlink_to(tape)
        case "hard link":
            os.link(tape, other)
    assert_complaint(
        tickertape_inside("export", "perfetto", tape, "-o", other), 2, "is the file to be read"
    )
    assert tape.read_bytes() == before


def test_a_repaired_tape_may_keep_its_name(tickertape: Command, tape: Path) -> None:
    tape.write_bytes(tape.read_bytes()[:-40])
    assert tickertape("repair", tape, "-o", tape).returncode == 0
    with TapeReader(tape) as reader:
        assert reader.closed


@pytest.mark.parametrize(
    "words",
    [
        *(words for words in READ_AND_WRITE if words[0] == "import" and "zephyr-ctf" not in words),
        ("udpdump", "T", "-o", "O"),
        ("repair", "T", "-o", "O"),
    ],
    ids=" ".join,
)
def test_a_folder_is_called_a_folder(
    tickertape_inside: Command, tmp_path: Path, words: Sequence[str]
) -> None:
    (tmp_path / "folder").mkdir()
    done = tickertape_inside(*with_names(words, "folder", "out"))
    parts = ["folder", "check the name"] if "btf" in words else ["folder is a folder; give"]
    assert_complaint(done, 4, *parts)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "words",
    [("udpdump", "T", "-o", "O"), ("import", "itm", "T", "-o", "O", "--hz", "1000")],
    ids=" ".join,
)
@pytest.mark.parametrize("content", [b"", b"\0" * 40])
def test_where_nothing_was_found_nothing_is_written(
    tickertape_inside: Command, tmp_path: Path, words: Sequence[str], content: bytes
) -> None:
    (tmp_path / "in").write_bytes(content)
    assert_complaint(tickertape_inside(*with_names(words, "in", "out")), 4)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_port_that_says_nothing_on_a_pin_that_says_something(
    tickertape: Command, tmp_path: Path
) -> None:
    (tmp_path / "pin").write_bytes(b"no packets at all\n" * 9)
    done = tickertape("capture", "swo:pin", "-o", "t.tape")
    assert_complaint(done, 3, "no trace data arrived from swo:pin", "bytes that are not packets")


NO_TEXT = os.fsdecode(b"b\xff\xe9.tape")
UTF8 = {"LC_ALL": "C.UTF-8"}
ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


@pytest.mark.parametrize("locale", [UTF8, ASCII, {"PYTHONIOENCODING": "latin-1"}], ids=str)
@pytest.mark.parametrize(
    "words",
    [
        *(words for words in READ_AND_WRITE if words[0] == "export"),
        *(("print", "T", "--style", style) for style in ("text", "qnx", "xm", "csv", "jsonl")),
        ("info", "T"),
        ("cut", "T", "--from", "0", "-o", "O"),
        ("fleet", "export", ".", "-o", "O"),
        ("fleet", "stats", "."),
        ("ktrace", "T", "-o", "O"),
        ("merge", "T", "good.tape", "-o", "O"),
        ("note", "T", "a remark"),
        ("repair", "T", "-o", "O"),
    ],
    ids=" ".join,
)
def test_names_that_are_no_text_in_languages_without_our_characters(
    tickertape: Command, tape: Path, words: Sequence[str], locale: dict[str, str]
) -> None:
    shutil.copy(tape, tape.with_name("good.tape"))
    tape.rename(tape.with_name(NO_TEXT))
    done = tickertape(
        *with_names(words, NO_TEXT, "out"),
        env={**os.environ, **locale},
        encoding="utf-8",
        errors="surrogateescape",
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("print", "T"),
        ("print", "T", "--style", "qnx"),
        ("print", "--follow", "T"),
        ("info", "T"),
        ("info", "T", "--json"),
        ("repair", "T"),
    ],
    ids=" ".join,
)
def test_nobody_reads_what_is_printed(
    tickertape: Command, tape: Path, words: Sequence[str]
) -> None:
    """Neither a reader that has gone nor a closed standard output is an error."""
    read, write = os.pipe()
    os.close(read)
    gone = tickertape(*with_names(words, tape.name, ""), stdout=write)
    os.close(write)
    assert (gone.returncode, gone.stderr) == (0, "")
    script = ["-c", 'exec "$@" >&-', "sh", str(COMMAND), *with_names(words, tape.name, "")]
    closed = subprocess.run(
        ["/bin/sh", *script], cwd=tape.parent, capture_output=True, text=True, check=False
    )
    assert (closed.returncode, closed.stderr) == (0, "")


def test_a_complaint_without_standard_error_is_not_output(tape: Path) -> None:
    script = ["-c", 'exec "$@" 2>&-', "sh", str(COMMAND), "info", "missing"]
    done = subprocess.run(
        ["/bin/sh", *script], cwd=tape.parent, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (4, "")


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_a_help_that_cannot_be_written_fails(tickertape: Command, word: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = tickertape(word, stdout=full)
    assert_complaint(done, 4, "the output cannot be written")


def test_micro_is_u_in_a_language_without_it(tickertape: Command, tape: Path) -> None:
    done = tickertape("stats", tape.name, env={**os.environ, **ASCII})
    assert done.returncode == 0
    assert " us " in done.stdout
    assert "?s" not in done.stdout


@pytest.mark.parametrize("name", ["[/idle]", "[red]x", ":bug:", "[kworker]"])
def test_names_of_tasks_are_printed_as_they_are(
    tickertape_inside: Command, make_tape: Callable[[bytes], Path], name: str
) -> None:
    target = target_with_events()
    target.name(1, 1, name)
    target.finish()
    shown = tickertape_inside("info", make_tape(target.sent_bytes()))
    assert (shown.returncode, shown.stderr) == (0, "")
    assert f"{name} " in shown.stdout
