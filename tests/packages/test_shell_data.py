"""Man page and completions of the wheel: installed, complete, and accepted by shells and groff."""

from __future__ import annotations

import argparse
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.patience import HANG_S
from tickertape.cli.main import COMMANDS, parser_of
from tools.shell_data import COMPLETIONS, FILES, MAN_PAGE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.packages import Environment

pytestmark = pytest.mark.process

ASK = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
function=$(complete -p tickertape | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function" tickertape "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
"""Script that completes the last word as bash does at the tabulator key."""


PRESS_TAB = """
zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell "PS1=; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D; print rea''dy"
zpty -r shell seen '*ready*'
zpty -w -n shell "$2"$'\\t'
zpty -r shell seen "*$3*"
print -r -- "$seen"
zpty -d shell
"""
"""Script that presses the tabulator key and waits until a line contains the third word."""


@pytest.fixture
def share(installed: Environment) -> Path:
    """Return the folder `share` of the environment."""
    return installed.folder / "share"


def run(*words: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        words,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_S,
    )
    assert done.stderr == ""
    return done.stdout


def options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield all long options in the help of a parser and of its subcommands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from options(one)
        elif action.help != argparse.SUPPRESS:
            yield from (option for option in action.option_strings if option.startswith("--"))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("tickertape in", {"info"}),
        ("tickertape info --b", {"--boot"}),
        ("tickertape info T", {"T.tape"}),
        ("tickertape export k", {"kev", "ktrace"}),
        (
            "tickertape export kev --",
            {"--help", "--output", "--force", "--boot", "--stream", "--quiet", "--verbose"},
        ),
        ("tickertape print --style j", {"jsonl"}),
    ],
)
def test_bash_completes(share: Path, tmp_path: Path, words: str, expected: set[str]) -> None:
    (tmp_path / "T.tape").touch()
    script = share / COMPLETIONS["bash"]
    out = run("bash", "--norc", "-c", ASK, "bash", script, *words.split(), cwd=tmp_path)
    assert set(out.split()) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("tickertape in", {"info"}),
        ("tickertape info --b", {"--boot"}),
        ("tickertape info T", {"T.tape"}),
        ("tickertape export k", {"kev", "ktrace"}),
        ("tickertape print --style j", {"jsonl"}),
    ],
)
def test_fish_completes(share: Path, tmp_path: Path, words: str, expected: set[str]) -> None:
    (tmp_path / "T.tape").touch()
    script = "source $argv[1]; complete -C $argv[2]"
    out = run("fish", "--no-config", "-c", script, share / COMPLETIONS["fish"], words, cwd=tmp_path)
    assert {line.split("\t")[0] for line in out.splitlines()} == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("tickertape in", "tickertape info"),
        ("tickertape info --bo", "tickertape info --boot"),
        ("tickertape info T", "tickertape info T.tape"),
        ("tickertape export ke", "tickertape export kev"),
        ("tickertape print --style j", "tickertape print --style jsonl"),
    ],
)
def test_zsh_completes(share: Path, tmp_path: Path, words: str, expected: str) -> None:
    """The tabulator key in an interactive shell completes the word."""
    (tmp_path / "T.tape").touch()
    folder = (share / COMPLETIONS["zsh"]).parent
    out = run("zsh", "-f", "-c", PRESS_TAB, "zsh", folder, words, expected, cwd=tmp_path)
    assert expected in out


@pytest.mark.parametrize("file", FILES)
def test_every_command_and_option_is_in_each_file(share: Path, file: str) -> None:
    text = (share / file).read_text(encoding="utf-8")
    if file == MAN_PAGE:
        text = re.sub(r"\\f[A-Z]", "", text).replace("\\-", "-")
    words = set(re.findall(r"[\w-]+", text))
    wanted = set(options(parser_of(COMMANDS))) - {"--help"}
    if file.endswith(".fish"):
        wanted = {option.removeprefix("--") for option in wanted}
    assert len(wanted) > 60
    assert wanted - words == set()
    assert set(COMMANDS) - words == set()


def test_the_man_page_renders_without_a_warning(share: Path, tmp_path: Path) -> None:
    page = share / MAN_PAGE
    text = run("groff", "-man", "-Tascii", "-ww", "-P-cbou", page, cwd=tmp_path)
    assert "tickertape - kernel event tracer for Cortex-M" in text
    assert "only this boot of the target; 0 is the first" in text
    assert not re.search(r"\b20[2-9]\d-", page.read_text(encoding="utf-8").splitlines()[0])
