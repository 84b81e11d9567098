"""The examples of `--help`: each is a valid command line, and each command has one."""

from __future__ import annotations

import shlex

import pytest

from tickertape.cli.examples import EXAMPLES
from tickertape.cli.main import COMMANDS, _parser, main


def test_each_command_has_an_example() -> None:
    assert set(EXAMPLES) == set(COMMANDS)


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line in lines])
def test_an_example_is_a_valid_command_line(line: str) -> None:
    words = shlex.split(line)
    assert _parser(words).parse_args(words).command == words[0]


def test_help_shows_the_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["cut", "--help"])
    assert stopped.value.code == 0
    assert "examples:\n  tickertape cut T.tape --from 1.25" in capsys.readouterr().out
