"""The public names: they load at first use, and their results on real tapes."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tickertape
from tests.support.columns import Row, columns
from tests.support.target import target_with_events
from tickertape.api.arrow import table_of
from tickertape.cli.main import main
from tickertape.decode.ticks import Clock
from tickertape.errors import TapeClosed, TapeMissing, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.command import Command
    from tickertape.api.criteria import Criteria


NAMES = """
ARRAY_DTYPE Balance Board BootStats ByteOrder CaptureResult ClassSelection Clock Command
CommandRefused Control Criteria DecodeCounters Detection Detections DictionaryMismatch Event
EventColumns EventType Field FirmwareError ForeignFile Gap Hello Judgement Law LawVerdict LinkBusy
LinkDenied LinkError LinkLost LinkMissing LinkSilent NativeMismatch NotATape ObjectKind Outcome
Parser ParserReport Plan PlanOptions Policy Progress ProtocolMismatch Reply Report Selected
SpecError Statistics StopReason StreamStatus Summary Tape TapeBalance TapeBusy TapeClosed
TapeColumns TapeDamaged TapeEmpty TapeError TapeEvent TapeIssue TapeMissing TapeVersion
TapeWriteFailed TargetError Task TaskTimes TickertapeError TraceError UsageError Value Verdict
Verdicts Why Whys
__version__ capture connect open run
"""


def run(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_the_public_names_are_these() -> None:
    assert tickertape.__all__ == NAMES.split()
    for name in tickertape.__all__:
        value = getattr(tickertape, name)
        assert value.__doc__
        assert name in dir(tickertape)
    with pytest.raises(AttributeError, match="has no attribute 'close'"):
        _ = tickertape.close


def test_importing_loads_nothing_and_a_star_loads_all() -> None:
    assert run("import sys, tickertape; print('numpy' in sys.modules)") == "False\n"
    assert run("from tickertape import *; print(Tape.__name__, open is Tape)") == "Tape False\n"


def test_importing_reads_two_modules_of_ours_and_none_of_others() -> None:
    """Importing only these two modules keeps the import fast."""
    code = "import sys; before = set(sys.modules); import tickertape; "
    code += "print(*sorted({*sys.modules} - before - sys.stdlib_module_names))"
    ours = {name for name in run(code).split() if name.split(".")[0] not in sys.stdlib_module_names}
    assert ours == {"tickertape", "tickertape.version"}


def test_events_as_objects(tape: Path) -> None:
    with tickertape.open(tape) as opened:
        every = list(opened)
        assert len(every) == 81
        assert every == list(opened.events())  # again from the first event
        assert (every[0].name, every[0].text) == ("THREAD.NAME", "consumer")
        assert [opened.time_ns(event) for event in every[:3]] == [0, 0, 12_000]
        assert opened.path == tape


def test_criteria(tape: Path) -> None:
    with tickertape.open(str(tape)) as opened:
        every = list(opened)
        users = [event for event in every if event.cls == 6]
        assert list(opened.events(classes=["user"])) == users
        assert list(opened.events(events=["USER.1"])) == users
        mine = opened.events(tasks=["producer"], classes=["USER", "SYNC"])
        assert {event.name for event in mine} == {"SYNC.MUTEX_LOCK_GRANTED"}
        first = opened.events(begin_ns=12_000, end_ns=24_000)
        assert [opened.time_ns(event) for event in first] == [12_000, 24_000]
        assert list(opened.events(domains=[1])) == []
        for wrong in ({"classes": ["NONE"]}, {"events": ["NONE"]}):
            with pytest.raises(UsageError, match="there is no event"):
                opened.events(**wrong)  # type: ignore[arg-type] # wrong on purpose


@pytest.mark.parametrize(
    ("criteria", "message"),
    [
        ({"tasks": "produser"}, r'no thread called "produser" \(nearest: "producer"\) had the CPU'),
        ({"tasks": ["producer", 77]}, r'no thread called "77" had the CPU'),
        ({"cpus": 1}, r"has no CPU 1; its only CPU is 0"),
        ({"cpus": "0"}, r"cpus cannot be '0'; give a number"),
        ({"cpus": True}, r"cpus cannot be True"),
        ({"tasks": [1.5]}, r"tasks cannot be 1\.5; give a name or a number"),
        ({"classes": 6}, r"classes cannot be 6; give a name"),
        ({"begin_ns": "1ms"}, r"begin_ns cannot be '1ms'; give a number"),
        ({"boot": 1}, r"has no boot 1; choose one of 0"),
        ({"stream": 7}, r"has no stream 7"),
    ],
)
def test_what_is_not_on_the_tape_is_refused(
    tape: Path, criteria: dict[str, object], message: str
) -> None:
    with tickertape.open(tape) as opened:
        for use in ("select", "events", "columns", "arrays", "to_arrow"):
            with pytest.raises(UsageError, match=message):
                getattr(opened, use)(**criteria)


def test_select_gives_the_same_events_in_every_form(tape: Path) -> None:
    with tickertape.open(tape) as opened:
        every = list(opened)
        for criteria, wanted in (
            ({}, lambda _: True),
            ({"classes": "SCHED", "cpus": np.int64(0)}, lambda event: event.cls == 9),
            ({"boot": 0, "stream": 0, "tasks": None}, lambda _: True),
            ({"boot": [0], "begin_ns": 12_000}, lambda event: opened.time_ns(event) >= 12_000),
        ):
            chosen = opened.select(**criteria)
            expected = [event for event in every if wanted(event)]
            assert list(chosen) == expected == list(chosen)
            assert chosen.count() == len(expected) > 0
            assert [e for part in chosen.columns() for e in part.events()] == expected
            ordinals = [event.ordinal for event in expected]
            assert np.concatenate(list(chosen.arrays()))["ordinal"].tolist() == ordinals
            assert chosen.to_arrow()["ordinal"].to_pylist() == ordinals
        assert opened.select(domains=[5]).count() == 0


@pytest.fixture(scope="module")
def kernel_tape(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tape with names of objects and threads: the demo on the native target."""
    path = tmp_path_factory.mktemp("api") / "kernel.tape"
    words = ["run", "-q", "--target", "native", "-o", str(path), "--duration", "0.2"]
    assert main(words) == 0
    return path


@pytest.mark.process
@pytest.mark.parametrize(
    "criteria",
    [{}, {"classes": "USER"}, {"tasks": "control"}, {"begin_ns": 10**8}, {"events": "MUTEX_*"}],
)
def test_chosen_events_know_what_print_prints(
    kernel_tape: Path, criteria: Criteria, capfd: pytest.CaptureFixture[str]
) -> None:
    """Time, thread and names are those of the whole tape for every selection."""
    capfd.readouterr()
    assert main(["print", str(kernel_tape), "--style", "jsonl"]) == 0
    lines = map(json.loads, capfd.readouterr().out.splitlines())
    printed = {line["ordinal"]: line for line in lines if line["kind"] == "event"}
    with tickertape.open(kernel_tape) as opened:
        total = opened.balance.total
        assert total.offered == total.delivered > len(printed) - 1
        chosen = list(opened.select(**criteria))
        assert 0 < len(chosen) <= len(printed)
        for event in chosen:
            line = printed[event.ordinal]
            assert (event.time_ns, event.tid) == (line["time_ns"], line["tid"])
            assert (event.task, event.values) == (line["task"], line["fields"])
            names = {key: value.name for key, value in event.values.items() if value.name}
            assert names == line.get("names", {})
        table = opened.to_arrow(**criteria)
        assert table["ordinal"].to_pylist() == [event.ordinal for event in chosen]
        assert table["tid"].to_pylist() == [event.tid for event in chosen]


@pytest.mark.process
def test_a_field_has_its_name(kernel_tape: Path) -> None:
    with tickertape.open(kernel_tape) as opened:
        event = next(opened.events(events="SYNC.MUTEX_LOCK_DENIED"))
        assert (event["mutex"].name, event["owner"].name) == ("bus", "logger")
        assert event["owner"] == event.words[1]
        assert repr(event["owner"]) == f"{event.words[1]}:logger"
        assert "mutex" in event
        assert "tid" not in event
        with pytest.raises(UsageError, match="has no field 'mutecs'; use mutex"):
            _ = event["mutecs"]
        # The same record without names and thread, as columns return it.
        plain = next(next(opened.columns(events="SYNC.MUTEX_LOCK_DENIED")).events())
        assert event == plain
        assert plain == event
        assert hash(event) == hash(plain)
        assert event != next(iter(opened))


def test_a_tape_has_a_length_and_is_true(
    tape: Path, make_tape: Callable[[bytes, str], Path]
) -> None:
    with tickertape.open(tape) as opened:
        assert len(opened) == 81
        assert repr(opened) == f"<tickertape.Tape {str(tape)!r}, 83 records, boots: 1>"
    assert repr(opened) == f"<tickertape.Tape {str(tape)!r}, closed>"
    with tickertape.open(make_tape(b"", "empty.tape")) as empty:
        assert len(empty) == 0
        assert empty


def test_libraries_of_arrow_take_a_tape_directly(tape: Path) -> None:
    pyarrow = importlib.import_module("pyarrow")
    with tickertape.open(tape) as opened:
        table = pyarrow.table(opened)
        assert table.equals(opened.to_arrow())
        some = pyarrow.table(opened.select(classes="USER"))
        assert some.num_rows == opened.select(classes="USER").count() > 0


def test_data_frames_have_the_rows_of_the_objects(
    tape: Path, make_tape: Callable[[bytes], Path]
) -> None:
    target = target_with_events()
    target.finish()
    lossy = make_tape(b"".join(one.data for one in target.frames if one.number not in {5, 6}))
    for path in (tape, lossy):
        with tickertape.open(path) as opened:
            total = opened.balance.total
            assert total.offered == total.delivered + total.lost
            either: list[Criteria] = [{}, {"classes": "SCHED"}]
            for criteria in either:
                chosen = opened.select(**criteria)
                events = list(chosen)
                times, tids = [e.time_ns for e in events], [e.tid for e in events]
                assert times
                polars, pandas = chosen.to_polars(), opened.to_pandas(**criteria)
                assert polars["time_ns"].to_list() == times == pandas["time_ns"].tolist()
                assert polars["tid"].to_list() == tids
                assert pandas["tid"].astype(object).where(pandas["tid"].notna(), None).tolist() == (
                    tids
                )
                assert polars.equals(opened.to_polars(**criteria))
                assert list(pandas.columns) == chosen.to_arrow().column_names


@pytest.mark.parametrize(("package", "use"), [("polars", "to_polars"), ("pandas", "to_pandas")])
def test_without_a_library_of_frames_it_says_what_to_install(
    tape: Path, monkeypatch: pytest.MonkeyPatch, package: str, use: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with (
        tickertape.open(tape) as opened,
        pytest.raises(UsageError, match=rf"tickertape\[{package}\]"),
    ):
        getattr(opened, use)()


@pytest.mark.process
def test_laws_are_judged_with_the_overhead_and_unknown_without_records(
    kernel_tape: Path, tmp_path: Path
) -> None:
    law = tickertape.Law.MOST_URGENT
    with tickertape.open(kernel_tape) as opened:
        laws = opened.laws()
        assert set(laws) == set(tickertape.Law)
        assert {one.verdict.name for one in laws.values()} == {"HOLDS"}
        # A ready thread does not run at the same tick.
        assert opened.laws(overhead_ns=0)[law].verdict.name == "BROKEN"
    nothing = tmp_path / "nothing.tape"
    nothing.write_bytes(kernel_tape.read_bytes()[:4096])
    with tickertape.open(nothing) as cut:
        total = cut.balance.total
        assert total.offered == total.delivered + total.lost
        assert {one.verdict.name for one in cut.laws().values()} == {"UNKNOWN"}


def test_a_tape_is_not_exported_over_itself(tape: Path) -> None:
    before = tape.read_bytes()
    with tickertape.open(tape) as opened, pytest.raises(UsageError, match="is the tape itself"):
        opened.export("jtracer", tape)
    assert tape.read_bytes() == before


def test_export_and_summary_are_those_of_the_commands(
    tape: Path, tmp_path: Path, tickertape_inside: Command
) -> None:
    with tickertape.open(tape) as opened:
        report = opened.export("jtracer", tmp_path / "api")
        assert opened.summary().events == 81
        assert opened.summary().balance.total == opened.balance.total
        with pytest.raises(UsageError, match=r"there is no format btff; use btf"):
            opened.export("btff", tmp_path / "x")
        with pytest.raises(UsageError, match=r"there is no option of btf versoin; use version"):
            opened.export("btf", tmp_path / "x", versoin="2.1")
    done = tickertape_inside("export", "jtracer", tape, "-o", tmp_path / "cli")
    assert done.returncode == 0
    assert (tmp_path / "api").read_bytes() == (tmp_path / "cli").read_bytes()
    assert report.counts


def test_a_tape_that_is_closed_during_a_loop_is_an_error_of_ours(tape: Path) -> None:
    opened = tickertape.open(tape)
    parts = opened.columns()
    next(parts)
    opened.close()
    with pytest.raises(TapeClosed, match="is closed"):
        next(parts)


def test_a_criterion_takes_one_value_or_several(tape: Path) -> None:
    with tickertape.open(tape) as opened:
        for name, one, several in (
            ("classes", "SCHED", ["SCHED"]),
            ("events", "USER.1", ["USER.1"]),
            ("tasks", 1, ["1"]),
            ("tasks", "producer", ["producer"]),
            ("cpus", 0, [0]),
            ("domains", 0, {0}),
        ):
            found = list(opened.events(**{name: one}))  # type: ignore[arg-type] # by its name
            assert found == list(opened.events(**{name: several}))  # type: ignore[arg-type] # same
            assert found
        assert list(opened.events(tasks=[1])) == list(opened.events(tasks=["producer"]))


def test_an_unknown_criterion_is_refused_with_the_nearest_one(tape: Path) -> None:
    with tickertape.open(tape) as opened:
        with pytest.raises(UsageError, match=r"no criterion clases; use classes"):
            opened.events(clases=["SCHED"])  # type: ignore[call-arg] # wrong on purpose
        with pytest.raises(UsageError, match=r"no criterion zzz; use classes or events or"):
            opened.columns(zzz=1)  # type: ignore[call-arg] # wrong on purpose


@pytest.mark.parametrize("what", ["events", "columns", "arrays", "to_arrow"])
def test_an_unknown_stream_is_refused(tape: Path, what: str) -> None:
    with tickertape.open(tape) as opened:
        assert len(list(getattr(opened, what)(stream=0))) > 0
        with pytest.raises(UsageError, match=r"has no stream 7; 'tickertape info' lists"):
            getattr(opened, what)(stream=7)


def test_a_closed_tape_is_an_error_of_ours(tape: Path) -> None:
    with tickertape.open(tape) as opened:
        balance = opened.balance
    for use in (
        lambda: next(opened.events()),
        lambda: opened.tasks,
        lambda: opened.hello,
        opened.to_arrow,
    ):
        with pytest.raises(TapeClosed, match="is closed"):
            use()
    assert opened.balance == balance  # read before
    opened.close()


def test_columns_and_arrays_agree_with_objects(tape: Path) -> None:
    with tickertape.open(tape) as opened:
        every = list(opened)
        parts = list(opened.columns(classes=["SCHED"]))
        assert sum(map(len, parts)) == 40
        rows = np.concatenate(list(opened.arrays()))
    assert rows.dtype == tickertape.ARRAY_DTYPE
    assert rows.dtype.itemsize == 40
    assert rows["time"].tolist() == [event.time_ticks for event in every]
    for name in ("cls", "event", "cpu", "domain", "ordinal", "stream", "epoch"):
        assert rows[name].tolist() == [getattr(event, name) for event in every], name


def test_what_the_tape_says_of_itself(tape: Path) -> None:
    with tickertape.open(tape) as opened:
        assert opened.hello is not None
        assert (opened.hello.target, opened.hellos[0]) == ("simulated", opened.hello)
        assert [task.name for task in opened.tasks] == ["producer", "consumer"]
        assert (opened.balance.total.offered, opened.balance.total.lost) == (83, 0)
        assert opened.counters.events == 81
        assert (opened.closed, opened.issues, opened.notes) == (True, (), [])
        assert isinstance(opened.meta, dict)


def test_losses_are_in_the_columns_whatever_is_chosen(
    make_tape: Callable[[bytes], Path],
) -> None:
    target = target_with_events()
    target.finish()
    sent = [one.data for one in target.frames if one.number not in {5, 6}]
    with tickertape.open(make_tape(b"".join(sent))) as opened:
        gaps = [gap for part in opened.columns(domains=[7]) for gap in part.gaps]
        assert [gap.lost for gap in gaps] == [8]


def test_a_missing_tape_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(TapeMissing) as caught:
        tickertape.open(tmp_path / "none.tape")
    assert isinstance(caught.value, tickertape.TickertapeError)


def test_a_table_of_arrow(tape: Path) -> None:
    with tickertape.open(tape) as opened:
        every = list(opened)
        table = opened.to_arrow()
        assert table.column_names[:4] == ["epoch", "time_ns", "time", "stream"]
        rows = table.to_pylist()
        assert [row["time_ns"] for row in rows] == [opened.time_ns(event) for event in every]
        assert [f"{row['class']}.{row['event']}" for row in rows] == [e.name for e in every]
        assert [row["payload"] for row in rows] == [event.payload for event in every]


def test_without_pyarrow_it_says_what_to_install(
    tape: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    importlib.invalidate_caches()
    with tickertape.open(tape) as opened, pytest.raises(UsageError, match=r"tickertape\[arrow\]"):
        opened.to_arrow()


def test_times_are_exact_for_late_clocks() -> None:
    """64-bit ticks times a billion do not fit 64 bits; the table must divide first."""
    ticks = (1 << 63) + 12345
    table = table_of([columns([Row(ticks)])], lambda _epoch: Clock(3_000_000_000))
    assert table["time_ns"].to_pylist() == [ticks * 10**9 // 3_000_000_000]


PAGE = Path(__file__).parents[2] / "docs/python.md"


@pytest.mark.process
def test_the_programs_of_the_page_run(
    tape: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(tape, tmp_path / "run.tape")
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(programs) >= 3
    names: dict[str, object] = {}
    left_out: list[str] = []
    for program in programs:
        code = compile(program, str(PAGE), "exec")
        if program.startswith("# not run here: "):
            left_out.append(program.splitlines()[0])
            continue
        exec(code, names)  # noqa: S102 - the page is ours
    assert left_out == ["# not run here: needs a board"]
