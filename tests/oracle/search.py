"""Compare the commands with the oracle in many worlds: `make search-answers`.

`python -m tests.oracle.search --worlds N` looks through N more worlds and writes the next seed and
the counts to build/search-answers.json: it may be interrupted and started again.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.oracle.exclusions import excluded
from tests.oracle.oracle import Oracle, figures
from tests.oracle.simulator import Kernel
from tests.oracle.writer import mutilate, whole, write
from tickertape.cli.main import main as command

if TYPE_CHECKING:
    from collections.abc import Iterator

STATE = Path("build/search-answers.json")
Figures = dict[str, dict[str, float | None]]
Limits = dict[str, dict[str, dict[str, Any]]]


class Difference(NamedTuple):
    """What differs: seed, kind of tape, row (task, interrupt, ...), figure, values."""

    seed: int
    tape: str
    row: str
    figure: str
    printed: str
    truth: str


def run(*arguments: str) -> str:
    """Run a command; return its standard output."""
    with contextlib.redirect_stdout(io.StringIO()) as output:
        command(arguments)
    return output.getvalue()


def _leaves(tree: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the figures in an object by their path."""
    for key, value in tree.items():
        if isinstance(value, dict):
            if "low" in value:
                yield path + key, value
            else:
                yield from _leaves(value, f"{path}{key}.")


def printed(tape: Path) -> Limits:
    """Return the figures of `stats --json` as rows like those of the oracle."""
    boot = json.loads(run("stats", "--json", str(tape)))["boots"][0]
    rows: Limits = {}
    for kind, name in (("task", "number"), ("interrupt", "number"), ("object", "name")):
        for entry in boot[kind + "s"]:
            row = rows[f"{kind} {entry[name]}"] = dict(_leaves(entry))
            for wait in entry.get("blocked", ()):
                key = f"blocked.{wait['wait']} {wait['object']} {wait['owner']}"
                row[key] = wait["time"]
    for cpu in boot["cpus"]:
        keys = ("tasks", "interrupts", "idle", "kernel", "unknown")
        exact = {key: {"value": cpu[key], "low": cpu[key], "high": cpu[key]} for key in keys}
        rows[f"cpu {cpu['cpu']}"] = exact
    return rows


def _same(left: float | None, right: float | None) -> bool:
    if left is None or right is None:
        return left is right
    return math.isclose(left, right, rel_tol=1e-9)


def _contains(figure: dict[str, Any], truth: float | None) -> bool:
    """Return whether limits contain a value; a figure that does not exist is in all of them."""
    if truth is None:
        return True
    low, high = figure["low"], figure["high"]
    slack = 1e-9 * abs(truth)
    return (low is None or low <= truth + slack) and (high is None or truth - slack <= high)


def compare(seed: int, tape: str, truth: Figures, limits: Limits) -> Iterator[Difference]:
    """Yield figures that the tape contradicts; on a whole tape also those that are not exact."""
    exact = tape == "whole"
    for row, values in truth.items():
        for figure, value in values.items():
            entry = limits.get(row, {}).get(figure)
            if entry is None:
                if exact and value and not figure.startswith(("hold", "wait", "longest")):
                    yield Difference(seed, tape, row, figure, "nothing", str(value))
            elif row.startswith("cpu") and not exact:
                continue  # these have no limits: see `unknown_time`
            elif not _contains(entry, value) or (exact and not _same(entry["value"], value)):
                yield Difference(seed, tape, row, figure, str(entry), str(value))


def unknown_time(seed: int, tape: str, truth: Figures, limits: Limits) -> Iterator[Difference]:
    """Yield parts of a CPU's time that are known to be longer than they are."""
    for row, values in limits.items():
        if row.startswith("cpu") and tape != "class INT":
            for part, entry in values.items():
                real = truth[row][part] or 0
                if part != "unknown" and entry["value"] > real + (truth[row]["unknown"] or 0):
                    yield Difference(seed, tape, row, part, str(entry["value"]), str(real))


def specification(truth: Figures) -> str:
    """Return requirements whose limits are the true figure, one tick less, and far above."""
    lines = ["requirements:"]
    for row, values in truth.items():
        kind, name = row.split()
        if kind != "task":
            continue
        maxima = {
            **{key[8:]: value for key, value in values.items() if key.startswith("longest")},
            "period": values.get("period.max"),
            "jitter": values.get("period_jitter"),
        }
        for requirement, value in maxima.items():
            if value is not None:
                lines += [
                    f"  - {requirement}: t{name}\n    max: {int(value) + more} ns\n"
                    f"    name: {requirement} t{name} {more:+}"
                    for more in (-1, 0, 10**6)
                    if value + more >= 0
                ]
    return "\n".join(lines) + "\n"


def verdicts(tape: Path, spec: Path) -> dict[str, str]:
    """Return the verdict on each requirement."""
    answer = json.loads(run("check", "--json", "--spec", str(spec), str(tape)))
    return {verdict["name"]: verdict["outcome"] for verdict in answer["verdicts"]}


def _check(
    seed: int, tape: str, given: dict[str, str], whole_tape: dict[str, str]
) -> Iterator[Difference]:
    """Yield verdicts that are certain and wrong: by the limits, or against the whole tape."""
    for name, outcome in given.items():
        requirement, _, more = name.split()
        expected = {outcome, whole_tape[name], "FAIL" if int(more) < 0 else "PASS"} - {"UNKNOWN"}
        if len(expected) > 1:
            yield Difference(seed, tape, f"check {name}", requirement, outcome, str(expected))


class World(NamedTuple):
    """A world: its features, its damage, what the definitions leave open in it, differences."""

    features: frozenset[str]
    damage: str
    ambiguous: set[str]
    differences: list[Difference]


def explore(seed: int, folder: Path) -> World:
    """Compare the whole tape and a mutilated one of a world with the oracle."""
    kernel = Kernel(seed)
    events, shape = kernel.run(), kernel.shape
    oracle = Oracle(events, shape.cpus)
    truth = figures(oracle)
    tape, spec = folder / "world.tape", folder / "timing.yaml"
    write(tape, events, shape.cpus, whole(seed))
    spec.write_text(specification(truth), encoding="utf-8")
    coarse = shape.cpus > 1 and shape.spacing == 1
    kind = "coarse" if coarse else "whole"
    differences = list(compare(seed, kind, truth, printed(tape)))
    certain = verdicts(tape, spec) if "- " in spec.read_text(encoding="utf-8") else {}
    differences += _check(seed, kind, certain, certain)
    damage, recorded, plan = mutilate(seed, events, shape.cpus, whole(seed))
    write(tape, recorded, shape.cpus, plan)
    limits = printed(tape)
    differences += compare(seed, damage, truth, limits)
    differences += unknown_time(seed, damage, truth, limits)
    if certain:
        differences += _check(seed, damage, verdicts(tape, spec), certain)
    features = shape.features | oracle.features
    return World(features, damage, oracle.ambiguous, differences)


def unexpected(world: World) -> list[Difference]:
    """Return the differences of a world that the table of exclusions does not list."""
    if world.ambiguous:
        return []
    return [d for d in world.differences if not excluded(d.tape, world.features, d.row, d.figure)]


def main() -> int:
    """Look through the next worlds; print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=500)
    parser.add_argument("--first", type=int, help="begin at this seed instead of the next one")
    options = parser.parse_args()
    state: dict[str, Any] = {"next": 1, "counts": {}}
    if STATE.exists():
        state = json.loads(STATE.read_text(encoding="utf-8"))
    counts: Counter[str] = Counter(state["counts"])
    begin = state["next"] if options.first is None else options.first
    bad = 0
    with TemporaryDirectory() as folder:
        for seed in range(begin, begin + options.worlds):
            world = explore(seed, Path(folder))
            counts["worlds"] += 1
            counts["ambiguous"] += bool(world.ambiguous)
            counts[world.damage] += 1
            for difference in unexpected(world):
                bad += 1
                counts["differences"] += 1
                print(*difference, sep="  ")  # noqa: T201 - a tool for people
            STATE.parent.mkdir(exist_ok=True)
            STATE.write_text(json.dumps({"next": seed + 1, "counts": counts}), encoding="utf-8")
    print(*(f"{count} {name}" for name, count in counts.items()), sep="\n")  # noqa: T201
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
