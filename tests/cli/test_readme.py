"""The commands and the Python code of README.md have the results that it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tickertape.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.process
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def block(begin: str) -> list[str]:
    """Return the lines of the only code block that begins with `begin`."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    (found,) = (one for one in blocks if one.startswith(begin))
    return str(found).splitlines()


def event(line: str) -> str:
    """Return a printed event without its time, which differs between builds."""
    return " ".join(line.split()[1:])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder with shorter versions of the tapes of README's first commands."""
    made = tmp_path_factory.mktemp("readme")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        assert main(["demo", "-q", "--duration", "0.2"]) == 0
        assert main(["run", "-q", "--target", "native", "-o", "T.tape", "--duration", "0.2"]) == 0
        yield made


def test_the_printed_moment_is_on_the_tape_of_the_demo(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """README omits events and spaces, but adds nothing."""
    command, *shown = block("$ tickertape print demo.tape")
    words = shlex.split(command)[2:]
    capsys.readouterr()
    assert main(words) == 0
    assert (folder / "demo.tape").exists()
    printed = iter(map(event, capsys.readouterr().out.splitlines()))
    expected = list(map(event, shown))
    assert len(expected) > 2
    missing = [line for line in expected if line not in printed]  # in this order
    assert missing == []
    begin, end = (
        float(words[words.index(one) + 1].removesuffix("ms")) for one in ("--from", "--to")
    )
    assert all(begin <= float(line.split()[0]) * 1000 <= end for line in shown)


@pytest.mark.usefixtures("folder")
def test_each_command_of_the_introduction_works(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        shlex.split(line, comments=True)[1:] for line in block("tickertape run --target native")
    ]
    verbs = [words[0] for words in lines]
    assert verbs == ["run", "capture", "print", "info", "export"]
    for words in lines[2:]:  # the fixture has run the first; the second one needs a board
        capsys.readouterr()
        assert main(words) == 0
        assert capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_the_python_of_the_introduction_prints_events(capsys: pytest.CaptureFixture[str]) -> None:
    exec("\n".join(block("import tickertape")), {})  # noqa: S102 - it is our own page
    assert " control bus\n" in capsys.readouterr().out


def test_a_requirement_of_the_demo_fails_with_its_reason(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record, explain, begin, judge = (
        shlex.split(line, comments=True)[1:] for line in block("tickertape demo")
    )
    assert record[0] == "demo"  # the fixture has run it
    capsys.readouterr()
    assert main(explain) == 0
    assert "blocked on bus, held by logger" in capsys.readouterr().out
    assert main(begin) == 0
    assert main(judge) == 0
    spec = folder / "timing.yaml"
    text = spec.read_text(encoding="utf-8")
    stricter = re.sub(r"(- response: control\n    max: ).*", r"\g<1>3 ms", text)
    assert stricter != text
    spec.write_text(stricter, encoding="utf-8")
    assert main(judge) == 1
    assert "blocked on bus, held by logger" in (folder / "verdicts.xml").read_text("utf-8")
