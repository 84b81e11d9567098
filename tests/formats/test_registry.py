"""The registry: every conversion accepts a call as the command line makes it."""

from __future__ import annotations

from collections import Counter
from inspect import Parameter, signature
from string import Formatter
from typing import TYPE_CHECKING

import pytest

from tickertape.formats.btf import VERSIONS
from tickertape.formats.registry import conversions
from tickertape.formats.report import Report

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.command import Done
    from tickertape.formats.registry import Conversion

    Command = Callable[..., Done]

COMMON = {"EXPORTS": ("source", "output"), "IMPORTS": ("file", "tape")}
ALL = [
    pytest.param(direction, one, id=f"{direction} {name}")
    for direction in COMMON
    for name, one in conversions(direction).items()
]


def test_formats_have_names_and_both_directions() -> None:
    assert list(conversions("EXPORTS")) == sorted(
        ("btf", "chrome", "ctf", "jtracer", "kev", "ktrace", "parquet", "perfetto", "shark")
    )
    assert list(conversions("IMPORTS")) == sorted(
        ("btf", "ftrace", "itm", "jtracer", "kev", "shark", "zephyr-ctf")
    )


@pytest.mark.parametrize(("direction", "one"), ALL)
def test_its_options_are_arguments_of_its_function(direction: str, one: Conversion) -> None:
    function = one.load()
    parameters = signature(function).parameters
    by_place = [p.name for p in parameters.values() if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
    by_name = {p.name for p in parameters.values() if p.kind is Parameter.KEYWORD_ONLY}
    assert tuple(by_place) == COMMON[direction]
    assert by_name - {"on_progress"} == {option.name for option in one.options}
    assert ("on_progress" in by_name) == (direction == "IMPORTS")


@pytest.mark.parametrize(("direction", "one"), ALL)
def test_its_texts_use_counts_that_the_function_describes(direction: str, one: Conversion) -> None:
    texts = [one.headline, *one.notes.values(), *one.warnings.values()]
    names = {name for text in texts for _, name, _, _ in Formatter().parse(text) if name}
    shown = {name.removeprefix("first_") for name in names} | {*one.notes, *one.warnings}
    described = (one.load().__doc__ or "") + (one.load().__globals__.get("__doc__") or "")
    if "see `export_view`" not in described and "as `add_tape`" not in described:
        assert [name for name in shown if f"`{name}`" not in described] == []
    assert one.summary(Report()) == one.headline.format_map(dict.fromkeys(names, 0)), direction


def test_numbers_are_grouped_and_offsets_are_not() -> None:
    report = Report(Counter(turns=1), words={"layout": "wide"})
    report.first("unknown", 4096)
    report.first("unknown", 8192, times=1234)
    assert report.format("{unknown} {first_unknown:d} {turns} {layout} {none}") == (
        "1 235 4096 1 wide 0"
    )


def test_ktrace_is_an_export(tickertape: Command, tmp_path: object) -> None:
    words = ("run", "-q", "--target", "native", "--duration", "0.1", "-o", "t.tape")
    assert tickertape(*words).returncode == 0
    one = tickertape("export", "ktrace", "t.tape", "-o", "a.tra")
    two = tickertape("ktrace", "t.tape", "-o", "b.tra")
    assert (one.returncode, one.stderr) == (two.returncode, two.stderr) == (0, "")
    assert one.stdout == two.stdout.replace("b.tra", "a.tra").replace("b.dbg", "a.dbg")
    assert tmp_path


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("export", "--help"), ["perfetto", "dataset of Parquet files"]),
        (("export", "btf", "--help"), ["--elf FILE", f"{{{','.join(VERSIONS)}}}", "X.btf"]),
        (("import", "itm", "--help"), ["--hz HZ", "N=ADDRESS", "the bytes of the SWO pin"]),
        (("ktrace", "--help"), ["--dbg X.dbg", "rtl_ktrace"]),
    ],
)
def test_the_help_shows_them(tickertape: Command, words: tuple[str, ...], parts: list[str]) -> None:
    done = tickertape(*words)
    assert done.returncode == 0
    for part in parts:
        assert part in done.stdout


def test_a_wrong_value_is_one_line(tickertape: Command) -> None:
    done = tickertape("export", "kev", "t.tape", "-o", "x", "--stream", "-1")
    assert done.returncode == 2
    assert "argument --stream: '-1' is not a number from 0 on; see tickertape" in done.stderr
