"""`tickertape hil run` without a lab: a script of the test replaces the recording process."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tests.support.golden import INVERSION
from tests.support.row_tapes import row_tape
from tickertape.answers.sample import Figure
from tickertape.cli import hil_runs
from tickertape.cli.inside import command
from tickertape.formats.arrow.history import append, drifts

if TYPE_CHECKING:
    from pathlib import Path

WORKER = """
import json, os, sys
job = json.load(sys.stdin)
assert job["lab"].endswith("/lab.yaml") and job["retries"] == 1, job
for line in json.load(open("plan.json"))[job["board"]]:
    if line == "crash":
        print("bus error", file=sys.stderr, flush=True)
        os._exit(9)
    print(json.dumps(line), flush=True)
"""
SILENT = {"kind": "LinkSilent", "message": "it sent nothing; check power"}
WRONG = {"kind": "FirmwareError", "message": "it is build 1; flash build 2"}


def attempt(
    image: str,
    number: int = 1,
    *,
    tape: Path | None = None,
    fault: dict[str, str] | None = None,
    aside: bool = False,
) -> dict[str, object]:
    path = None if tape is None else str(tape)
    return {"image": image, "attempt": number, "tape": path, "fault": fault, "aside": aside}


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "worker.py").write_text(WORKER)
    monkeypatch.setattr(hil_runs, "WORKER", (sys.executable, str(tmp_path / "worker.py")))
    (tmp_path / "good.yaml").write_text("requirements:\n- response: high\n  max: 1 ms\n")
    (tmp_path / "bad.yaml").write_text("requirements:\n- response: high\n  max: 1 us\n")
    path = tmp_path / "suite.yaml"
    path.write_text(
        "lab: lab.yaml\nboards: [one, two, three]\nimages: {one: [a, b], two: [a, dir/b.elf]}\n"
        "specs: [good.yaml]\nretries: 1\nhistory: history\n"
    )
    return path


@pytest.mark.process
def test_every_attempt_is_reported(suite: Path) -> None:
    tape = row_tape(suite.with_name("T.tape"), INVERSION)
    plan = {
        "one": [
            attempt("a", fault=WRONG),
            attempt("a", 2, tape=tape),
            attempt("b", fault=SILENT),
            attempt("b", 2, aside=True, fault=SILENT),
        ],
        "two": [attempt("a", fault=SILENT), attempt("a", 2, aside=True, fault=SILENT)],
        "three": [attempt("board", fault=SILENT), "crash"],
    }
    suite.with_name("plan.json").write_text(json.dumps(plan))
    junit, page = suite.with_name("all.xml"), suite.with_name("all.html")
    said = command("hil", "run", str(suite), "--junit", str(junit), "--html", str(page))
    assert said.code == 10, said
    lines = said.out.splitlines()
    assert f"PASS    one: a: 1 PASS, 0 FAIL, 0 UNKNOWN in attempt 2; {tape}" in lines
    assert f"        attempt 1: FirmwareError: {WRONG['message']}" in lines
    assert lines.count(f"        attempt 1: LinkSilent: {SILENT['message']}") == 3
    assert f"ERROR   one: b: {SILENT['message']}" in lines
    assert "        two is set aside: its other images are not recorded" in lines
    assert "NOT RUN two: b: two was set aside" in lines
    assert any(
        line.startswith("ERROR   three: board: the process for three ended with 9: bus error; ")
        for line in lines
    )
    assert lines[-1] == "1 PASS, 0 FAIL, 0 UNKNOWN, 4 ERROR, 4 retried, set aside: one, two"
    root = ET.fromstring(junit.read_text())  # noqa: S314 - our own
    names = [one.get("name") for one in root]
    assert names == ["one.a", "one.a.good", "one.b", "two.a", "two.b", "three.board"]
    assert [one.get("type") for one in root.iter("flakyError")] == ["FirmwareError"]
    assert [one.get("type") for one in root.iter("rerunError")] == ["LinkSilent"] * 3
    assert sum(1 for _ in root.iter("error")) == 4
    assert "it is build 1; flash build 2" in page.read_text()
    assert len(list(suite.parent.glob("runs/*/*.xml"))) == 5
    said = command("hil", "run", str(suite), "--json")
    found = json.loads(said.out)
    assert (said.code, [one["outcome"] for one in found["runs"]]) == (10, ["PASS"] + ["ERROR"] * 4)
    first, second, *_ = found["runs"]
    assert first["faults"] == [{"kind": WRONG["kind"], "message": WRONG["message"]}]
    assert (first["attempts"], first["tape"], first["error"]) == (2, str(tape), None)
    assert [one["outcome"] for one in first["verdicts"]["good"]] == ["PASS"]
    assert (second["error"], second["set_aside"]) == (SILENT["message"], True)
    assert {one["board"] for one in found["drift"]} == {"one"}


@pytest.mark.process
def test_a_verdict_is_not_repeated(suite: Path) -> None:
    tape = row_tape(suite.with_name("T.tape"), INVERSION)
    suite.with_name("plan.json").write_text(json.dumps({"one": [attempt("a", tape=tape)]}))
    text = suite.read_text().replace("two, three", "").replace("one, ]", "one]")
    suite.write_text(
        text.split("images")[0] + "images: [a]\nspecs: [good.yaml, bad.yaml]\nretries: 1\n"
    )
    said = command("hil", "run", str(suite))
    assert said.code == 1, said
    assert said.out.splitlines()[-1] == "0 PASS, 1 FAIL, 0 UNKNOWN, 0 ERROR"
    suite.write_text(suite.read_text() + "history: history\n")
    assert command("hil", "run", str(suite), "-q").out == ""
    (suite.with_name("none.yaml")).write_text("requirements:\n- response: missing\n  max: 1 s\n")
    suite.write_text(suite.read_text().replace("bad", "none"))
    said = command("hil", "run", str(suite))
    assert (said.code, "ERROR   one: a: " in said.out) == (10, True), said
    suite.write_text(suite.read_text().replace("specs: [good.yaml, none.yaml]", "specs: []"))
    said = command("hil", "run", str(suite))
    line = f"PASS    one: a: recorded, judged by no specification; {tape}"
    assert (said.code, line in said.out) == (0, True), said


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("- 1", "there is no mapping"),
        ("lab: [", "this is not YAML"),
        ("boards: [a]", "has no `lab`; see docs/lab.md"),
        ("lab: l.yaml\nboards: []", "has no `boards`; see"),
        ("lab: l.yaml\nboard: [a]", "has an unknown key 'board'; did you mean boards"),
        ("lab: l.yaml\nboards: [1]", "`boards` is not a list of names; see"),
        ("lab: l.yaml\nboards: [a]\nretries: true", "`retries` has to be int; see"),
        ("lab: l.yaml\nboards: [a]\nretries: -1", "has a number below 0; see"),
        ("lab: l.yaml\nboards: [a, a]", "two of `boards` have one name; rename"),
        ("lab: l.yaml\nboards: [a]\nimages: [x/m.elf, y/m.elf]", "two of `images` have one"),
        ("lab: l.yaml\nboards: [ab]\nimages: {ac: [m]}", "`images` names 'ac', which is none"),
        ("lab: l.yaml\nboards: [a]\nspecs: [none.yaml]", "none.yaml"),
        ("lab: l.yaml\nboards: [a/b]", "board 'a/b' cannot name a folder; give the target"),
        ("lab: l.yaml\nboards: ['..']", "board '..' cannot name a folder; give"),
    ],
)
def test_a_suite_that_cannot_be_used(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(text)
    said = command("hil", "run", str(path))
    assert said.code == 2
    assert complaint in said.complaint
    assert not (tmp_path / "runs").exists()


def test_drift_is_the_distance_to_earlier_runs(tmp_path: Path) -> None:
    """A run is an outlier if at least three earlier runs were all lower, or all higher."""
    begin = datetime(2026, 1, 2, tzinfo=UTC)
    for day, value in enumerate([100, 90, 110, 120]):
        when = begin + timedelta(days=day)
        figures = [("m", "f", Figure(value, value, value)), ("m", "u", Figure(None, 0, None))]
        append(tmp_path, "one", when, [("m", "g", Figure(0, 0, 0)), *figures])
        found = {one.figure: one for one in drifts(tmp_path, "one")}
        assert set(found) == ({"f", "g"} if day else set())
    assert found["f"].earlier_ns == [100, 90, 110]
    assert (found["f"].median_ns, found["f"].is_outside) == (100, True)
    assert found["f"].change == pytest.approx(0.2)
    assert (found["g"].change, found["g"].is_outside) == (None, False)
    append(tmp_path, "one", begin + timedelta(days=9), [("n", "f", Figure(1, 1, 1))])
    assert drifts(tmp_path, "one") == []
    assert drifts(tmp_path, "two") == []
