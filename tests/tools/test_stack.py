"""The compiler's call graph: worst-case stack, recursion, calls through pointers."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tools.stack import Graph, StackError, problems, read_graph

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """
int leaf(int a) { volatile int room[10]; room[0] = a; return room[0]; }
int way_a(int a) { return leaf(a) + 1; }
int way_b(int a) { volatile int room[40]; room[0] = a; return leaf(room[0]) + 1; }
int top(int a) { return way_a(a) + way_b(a); }
"""
RECURSION = """
int odd(int a);
int even(int a) { return a == 0 ? 1 : odd(a - 1) + 1; }
int odd(int a) { return a == 0 ? 0 : even(a - 1) + 1; }
int outside(int a) { return even(a) + 1; }
"""
POINTER = """
int service_a(int a) { volatile int room[100]; room[0] = a; return room[0]; }
int service_b(int a) { return a; }
int other(int a) { volatile int room[500]; room[0] = a; return room[0]; }
int call(int (*function)(int), int a) { return function(a) + 1; }
"""
DATA = """
int takes(int count) { volatile char room[count]; room[0] = 1; return room[0]; }
"""


def graph_of(tmp_path: Path, source: str, targets: dict[str, str]) -> Graph:
    """Compile a source with the firmware's processor; return its call graph."""
    (tmp_path / "x.c").write_text(source, encoding="utf-8")
    command = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-O1", "-fno-inline"]
    command += ["-fno-optimize-sibling-calls", "-fcallgraph-info=su", "-c", "x.c", "-o", "x.o"]
    # ccache restores the object file, but not the call graph.
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    subprocess.run(command, cwd=tmp_path, check=True, env=environment)
    return read_graph([(tmp_path / "x.ci").read_text(encoding="utf-8")], targets)


def test_the_worst_case_is_the_deepest_way(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, SOURCE, {})
    worst, chain = graph.worst("top")
    assert chain == ["top", "way_b", "leaf"]
    assert worst == sum(graph.own_bytes[name] for name in chain)
    assert worst >= 4 * (10 + 40)
    assert graph.cycle() == []


def test_recursion_is_found(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, RECURSION, {})
    assert sorted(graph.cycle()) == ["even", "odd"]
    assert problems(graph)[0].startswith("recursion: ")


def test_a_call_over_a_pointer_means_what_the_table_says(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, POINTER, {"x.c": r"service_\w+"})
    assert graph.worst("call")[1] == ["call", "service_a"]


def test_a_call_over_a_pointer_that_nobody_knows_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StackError, match=r"x\.c calls through a pointer"):
        graph_of(tmp_path, POINTER, {})


def test_stack_that_depends_on_data_is_found(tmp_path: Path) -> None:
    assert graph_of(tmp_path, DATA, {}).unbounded == {"takes"}


def test_a_thread_has_enough() -> None:
    graph = Graph({"drain": 2000, "kernel_idle": 8, "x.c:live": 8})
    assert problems(graph) == ["thread drain may need 2068 bytes of stack and has 1024"]
