"""Every command reports every error of its files and values in the same form."""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.cli.commands import OUTPUTS, arguments, is_input, leaves, line_of
from tests.support.command import COMMAND, Command, assert_complaint
from tests.support.target import SimulatedTarget
from tickertape.cli.main import main
from tickertape.tape import TapeReader, iter_events
from tickertape.tape.one_boot import OneBoot

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.command import Done

LEAVES: Final = leaves()
DOCUMENTED: Final = frozenset({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130})
ANSWERS: Final = frozenset({0, 1, 10})
"""Exit codes of commands that succeeded."""
OUTSIDE: Final = frozenset(
    {"demo", "build", "run", "serve", "flash", "hil run", "bisect", "doctor"}
)
"""Commands that build, start or wait for something missing here; they have their own tests."""
WAITING: Final = OUTSIDE | {"capture", "udpdump", "view", "top"}
BAD_FILES: Final = (
    *("missing", "empty", "zeros", "noise", "text.txt", "folder", "circle", "x" * 300),
    *("good.tape/below", "head.tape", "secret"),
)


@pytest.fixture
def files(tmp_path: Path, tape: Path) -> Path:
    """Return a folder with a good tape and all kinds of bad files."""
    shutil.copy(tape, tmp_path / "good.tape")
    (tmp_path / "empty").touch()
    (tmp_path / "zeros").write_bytes(bytes(3000))
    (tmp_path / "noise").write_bytes(random.Random(7).randbytes(5000))
    (tmp_path / "text.txt").write_text("requirements: none\n" * 40, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "head.tape").write_bytes(tape.read_bytes()[:100])
    (tmp_path / "some.file").write_bytes(tape.read_bytes())
    (tmp_path / "secret").write_bytes(tape.read_bytes())
    (tmp_path / "secret").chmod(0)
    return tmp_path


def assert_one_language(done: Done) -> None:
    """Check that a command returned an answer, or one error line, with a documented code."""
    assert done.returncode in DOCUMENTED, done
    assert "Traceback" not in done.stderr
    if done.returncode in ANSWERS:
        return
    *warnings, line = done.stderr.splitlines()
    assert all("next release" in one for one in warnings), done.stderr
    assert line.startswith("tickertape: ")
    assert "; " in line


def inputs() -> list[tuple[str, str]]:
    return [
        (name, action.dest)
        for name, parser in LEAVES.items()
        if name not in WAITING
        for action in arguments(parser)
        if is_input(action)
    ]


@pytest.mark.parametrize("bad", BAD_FILES, ids=lambda bad: bad[:12])
@pytest.mark.parametrize(("name", "dest"), inputs())
def test_a_bad_file_is_one_line(
    tickertape_inside: Command, files: Path, name: str, dest: str, bad: str
) -> None:
    done = tickertape_inside(*line_of(name, **{dest: bad}))
    assert_one_language(done)
    if bad in {"missing", "circle", "x" * 300, "good.tape/below"}:
        assert done.returncode not in ANSWERS
        assert not (files / "out").exists()


def outputs() -> list[tuple[str, str]]:
    return [
        (name, action.dest)
        for name, parser in LEAVES.items()
        if name not in WAITING
        for action in arguments(parser)
        if action.dest in OUTPUTS and action.type is Path
    ]


@pytest.mark.parametrize("bad", ["missing/x", "folder", "good.tape/below", "circle", "/dev/full"])
@pytest.mark.parametrize(("name", "dest"), outputs())
@pytest.mark.usefixtures("files")
def test_an_output_that_cannot_be_written_is_one_line(
    tickertape_inside: Command, name: str, dest: str, bad: str
) -> None:
    assert_one_language(tickertape_inside(*line_of(name, **{dest: bad})))


def values() -> list[tuple[str, str]]:
    return [
        (name, action.dest)
        for name, parser in LEAVES.items()
        if name not in WAITING and not name.startswith("control")
        for action in arguments(parser)
        if action.option_strings and action.nargs != 0 and not is_input(action)
        if action.dest not in OUTPUTS
    ]


@pytest.mark.parametrize("bad", ["", "nobody", "-1", "nan", "9" * 30])
@pytest.mark.parametrize(("name", "dest"), values())
@pytest.mark.usefixtures("files")
def test_a_bad_value_is_one_line(
    tickertape_inside: Command, name: str, dest: str, bad: str
) -> None:
    assert_one_language(tickertape_inside(*line_of(name, **{dest: bad})))


@pytest.mark.parametrize("name", [one for one in LEAVES if one.startswith("control ")])
def test_control_of_a_link_that_is_not_there_is_one_line(
    tickertape_inside: Command, name: str
) -> None:
    verb = line_of(name)[1:]
    done = tickertape_inside("control", "unix:missing.sock", *verb)
    assert_one_language(done)
    assert done.returncode == 3


@pytest.mark.parametrize("name", LEAVES)
def test_each_command_can_be_quiet_and_verbose(name: str) -> None:
    options = {option for one in arguments(LEAVES[name]) for option in one.option_strings}
    assert {"-q", "--quiet", "-v", "--verbose"} <= options


WORDS: Final = {
    "--task": "task",
    "--stream": "stream",
    "--boot": "boot",
    "--json": "for programs",
    "--quiet": "print errors only",
    "--verbose": "also report what was used",
}
"""Text that the help of an option contains in every command with this option."""


@pytest.mark.parametrize("option", WORDS)
def test_an_option_is_described_by_the_same_word(option: str) -> None:
    found = [
        one
        for parser in LEAVES.values()
        for one in arguments(parser)
        if option in one.option_strings and one.help != argparse.SUPPRESS
    ]
    assert len(found) > 1
    assert {one.help for one in found if WORDS[option] not in str(one.help)} == set()
    assert {one.help for one in found if re.search(r"\b(thread|epoch)s?\b", str(one.help))} == set()
    assert len({one.metavar for one in found}) == 1


READS_A_TAPE: Final = [
    name
    for name, parser in LEAVES.items()
    if any(one.dest in {"tape", "before"} and not one.option_strings for one in arguments(parser))
]
SPEC: Final = "version: 1\nrequirements:\n  - response: producer\n    max: 1 ms\n"
WITHOUT_BOOT: Final = {
    "note": "a remark belongs to the tape",
    "repair": "copies what is readable, of all boots",
}


@pytest.mark.parametrize("name", READS_A_TAPE)
def test_each_command_that_reads_a_tape_takes_a_boot(
    tickertape_inside: Command, files: Path, name: str
) -> None:
    words = {one.dest for one in arguments(LEAVES[name])}
    assert ("boot" in words) is (name not in WITHOUT_BOOT)
    if name in WITHOUT_BOOT:
        return
    (files / "some.file").write_text(SPEC, encoding="utf-8")
    more = {"plot": {"output": "out.svg"}, "view": {"tape": "some.tape"}}.get(name, {})
    done = tickertape_inside(*line_of(name, boot="7", **more))
    assert done.returncode == 2
    assert_one_language(done)
    assert "boot 7" in done.stderr


# Commands whose result is not a table, by kind of result. Others must have --json.
WITHOUT_JSON: Final = {
    "a tape, a file, or a program": {
        *("demo", "build", "run", "flash", "capture", "recover", "repair", "merge", "cut", "note"),
        *("symbols", "plot", "ktrace", "fleet export", "spec init", "spec explain", "spec schema"),
    },
    "events, --style jsonl for programs": {"print"},
    "a picture that goes on": {"view", "top"},
    "commands of others, served": {"serve"},
    "packets, one a line, in the form of another tool": {"udpdump"},
    "one commit": {"bisect"},
}


@pytest.mark.parametrize("name", LEAVES)
def test_each_table_has_a_form_for_programs(name: str) -> None:
    acts = name.startswith(("control ", "import ", "export "))
    has_no_table = any(name in names for names in WITHOUT_JSON.values())
    answers = name in {"control status", "control classes"}
    has_json = "json" in {one.dest for one in arguments(LEAVES[name])}
    assert has_json is (answers or not (acts or has_no_table))


def test_boots_read_one_by_one_are_the_whole_tape(
    make_tape: Callable[[bytes], Path],
) -> None:
    target = SimulatedTarget()
    for boot in range(3):
        target.hello()
        for number in range(20 + boot):
            target.record((0, 0), 6, 1, number, boot)
            target.advance(5)
        target.finish()
        if boot < 2:
            target.reset(boot_id=boot + 5)
    path = make_tape(target.sent_bytes())
    with TapeReader(path) as reader:
        whole = [event for part in iter_events(reader) for event in part.events()]
        known = reader.epochs
    apart = []
    for boot in known:
        with OneBoot(path, boot) as reader:
            assert reader.epochs == [boot]
            assert reader.hello is not None
            apart += [event for part in iter_events(reader) for event in part.events()]
    assert apart == whole
    assert len(known) == 3


PIPED: Final = [
    *(f"export {name}" for name in ("btf", "chrome", "jtracer", "kev", "perfetto", "shark")),
    *("cut", "repair", "plot"),
]
UNLIKE: Final = {"plot": r"clip[^\"#)]*|id=\"\w+\"|#\w+|<dc:date>.*?<", "chrome": "^$"}


@pytest.mark.parametrize("name", PIPED)
def test_what_goes_to_standard_output_is_the_file(
    tickertape: Command, files: Path, name: str
) -> None:
    output = "out.svg" if name == "plot" else "out"
    assert tickertape(*line_of(name, output=output), "-q").returncode == 0
    with (files / "piped").open("wb") as pipe:
        done = tickertape(*line_of(name, output="-"), stdout=pipe)
    assert (done.returncode, done.stderr) == (0, "")
    found, expected = ((files / one).read_bytes() for one in ("piped", output))
    if name in {"plot", "export btf", "cut", "repair"}:  # these contain the time of their creation
        assert len(found) == len(expected) > 500
    else:
        assert found == expected
    assert not list(files.glob("-*"))


def test_tapes_go_through_pipes(tickertape: Command, files: Path) -> None:
    with (files / "part").open("wb") as part:
        assert tickertape("cut", "good.tape", "--to", "1s", "-o", "-", stdout=part).returncode == 0
    with (files / "part").open("rb") as part:
        again = tickertape("export", "btf", "-", "-o", "-", stdin=part)
    assert again.stdout.startswith("#version")
    with (files / "good.tape").open("rb") as tape:
        piped = tickertape("print", "-", stdin=tape)
    assert piped.stdout == tickertape("print", "good.tape").stdout != ""
    with (files / "good.tape").open("rb") as tape:
        piped = tickertape("info", "-", "--json", stdin=tape)
    assert piped.stdout == tickertape("info", "good.tape", "--json").stdout


def test_a_folder_does_not_go_to_standard_output(tickertape: Command, files: Path) -> None:
    done = tickertape("export", "ctf", "good.tape", "-o", "-")
    assert done.returncode == 2
    assert (
        done.stderr
        == "tickertape: a folder cannot be written to standard output; name it with -o\n"
    )
    assert not (files / "-").exists()


READING: Final = [
    name for name in READS_A_TAPE if name not in WAITING and "output" not in line_of(name)[-1]
]


@pytest.mark.parametrize("name", [one for one in READING if one not in {"note", "repair"}])
def test_a_reader_that_has_gone_and_a_full_disk(
    tickertape: Command, files: Path, name: str
) -> None:
    (files / "some.file").write_text(SPEC, encoding="utf-8")
    read, write = os.pipe()
    os.close(read)
    gone = tickertape(*line_of(name), stdout=write)
    os.close(write)
    assert "Traceback" not in gone.stderr
    assert "Errno" not in gone.stderr
    with Path("/dev/full").open("wb") as full:
        done = tickertape(*line_of(name), stdout=full)
    assert_one_language(done)


def test_verbose_reports_versions_time_and_the_origin_of_an_error(tickertape: Command) -> None:
    done = tickertape("info", "missing", "-v")
    assert done.returncode == 4
    lines = done.stderr.splitlines()
    assert lines[0].startswith("tickertape: tickertape 0.")
    assert any(
        re.fullmatch(r"tickertape: took \d+\.\d\d s and .* MiB of memory", one) for one in lines
    )
    assert "Traceback (most recent call last):" in lines
    assert lines[-1] == "tickertape: there is no file missing; check the name"


CTRL_C_AT = """
import os, signal, sys
class AtImport:
    def find_spec(self, name, *_):
        if name == MODULE:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, AtImport())
from tickertape.__main__ import main
sys.exit(main())
"""
# Modules that the coverage measurement does not import earlier.
LOADED: Final = (
    *("tickertape.cli.main", "argparse", "difflib", "tickertape.cli.common", "tickertape.cli.info"),
    *("numpy", "tickertape.tape.reader", "rich.table", "tickertape.analysis.summary"),
)


@pytest.mark.parametrize("module", LOADED)
def test_ctrl_c_at_any_import_is_one_line(files: Path, module: str) -> None:
    """Before our first line runs, the output is Python's own."""
    python = COMMAND.with_name("python")
    script = CTRL_C_AT.replace("MODULE", repr(module))
    done = subprocess.run(
        [python, "-c", script, "info", "good.tape"],
        cwd=files,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 130, done.stderr
    [line] = done.stderr.splitlines()
    assert line.startswith("tickertape: interrupted")
    assert line.endswith("; start again")


def test_an_old_name_works_and_names_the_new_one(tickertape_inside: Command, files: Path) -> None:
    done = tickertape_inside("export", "kev", "good.tape", "-o", "out", "--epoch", "0")
    assert done.returncode == 0
    assert done.stderr == (
        "tickertape: --epoch is now --boot; the next release does not know --epoch\n"
    )
    assert (files / "out").exists()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("merge", "good.tape", "good.tape", "-o", "out"), "good.tape is given twice; give"),
        (("print", "good.tape", "--task", "produser"), '(nearest: "producer")'),
        (("why", "good.tape", "--task", "produser"), "produser"),
        (("print", "good.tape", "--cpu", "5"), "has no CPU 5; its only CPU is 0"),
        (("print", "good.tape", "--class", "SHED"), "did you mean SCHED?"),
        (("print", "good.tape", "--stream", "5"), "has no stream 5"),
        (("prnt", "good.tape"), "prnt"),
        (("run", "--target", "natve", "-o", "out"), "did you mean native?"),
    ],
)
@pytest.mark.usefixtures("files")
def test_what_does_not_exist_is_refused_with_the_nearest(
    tickertape_inside: Command, words: tuple[str, ...], line: str
) -> None:
    done = tickertape_inside(*words)
    assert done.returncode == 2
    assert line in done.stderr


def test_standard_output_that_is_no_file_has_no_traceback() -> None:
    assert main(["info", "missing"]) == 4


@pytest.mark.parametrize(
    ("words", "complaint", "advice"),
    [
        (("exprot",), "argument COMMAND: unknown value exprot", "did you mean export?"),
        (
            ("T.tape",),
            "argument COMMAND: unknown value T.tape",
            "tickertape --help lists the commands",
        ),
        (("export", "perfeto"), "argument FORMAT: unknown value perfeto", "did you mean perfetto?"),
        (("print", "T", "--style", "josn"), "--style: unknown value josn", "did you mean jsonl?"),
        (("info", "T", "--jsn"), "unrecognized arguments: --jsn", "did you mean --json?"),
        (("info", "T", "U"), "unrecognized arguments: U", "see tickertape info --help"),
    ],
)
def test_a_misspelt_word_is_refused_with_the_nearest(
    tickertape_inside: Command, words: tuple[str, ...], complaint: str, advice: str
) -> None:
    assert_complaint(tickertape_inside(*words), 2, complaint, advice)
