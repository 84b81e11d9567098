"""Stack use of the firmware and its call graph: `make stack`, and a gate of `make check`.

The compiler reports for each function its bytes of stack and the functions that it calls
(-fcallgraph-info=su). Calls through pointers are resolved by the file that contains them: TARGETS
lists the possible targets. The graph gives the worst case of each entry point, and whether a
function of recorder or kernel is recursive.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT: Final = Path(__file__).resolve().parents[1]
BOARD: Final = "mps2-an386"
EXAMPLE: Final = "philosophers"

# Stack of a thread that an exception takes: 8 words by the processor, 8 by the switch, and one for
# alignment. A thread that uses the FPU, or a domain on a processor with an FPU, needs 34 more.
FRAME_BYTES: Final = 68
FPU_BYTES: Final = 136

# Number of calls of a chain that the table shows.
SHOWN_CALLS: Final = 5

# File of a call through a pointer -> its possible targets, as a pattern for function names.
TARGETS: Final[Mapping[str, str]] = {
    "kernel/call.c": r"kernel_service_\w+",
    "kernel/scheduler.c": r"tell_\w+",
    "kernel/timeout.c": r"kernel_wait_expired|kernel_period_expired|kernel_timer_post",
    "kernel/interrupt.c": r"tick|wake_drain|serve_cpus",
    "kernel/thread.c": r"live|supervisor|drain|poll",
    "core/announce.c": r"describe",
    "core/state.c": r"describe",
    "core/command.c": r"get|ring_link_get",  # and the answers of a facade; this one has none
    "core/drain.c": r"(?!)",  # buffer callbacks of the application; this one has none
    "core/target.c": r"current_thread",
    "core/filter.c": r"(?!)",  # handlers of the application; this one has none
    "core/frame.c": r"put|ring_link_(put|acquire|commit)",
    "core/plain.c": r"acquire|commit",
    "core/outlet.c": r"ring_link_room_bytes",
    "links/ring_link.c": r"pump|poll|trace_uart_raise_tx",
    "links/uart_link.c": r"(?!)",  # this board's UART has a driver of its own
    "links/ipv4.c": r"send|has_room|receive|kernel_board_clock",
}

# Threads of the examples, and their bytes of stack.
THREADS: Final[Mapping[str, int]] = {"drain": 1024, "kernel_idle": 512, "live": 1024}

# Entry points of the firmware, and their descriptions.
ENTRIES: Final[Mapping[str, str]] = {
    "kernel_port_call": "kernel call (SVC)",
    "kernel_port_exchange": "context switch (PendSV)",
    "kernel_domain_leave": "... away from a domain whose thread ends",
    "kernel_port_fault": "a fault of a domain",
    "kernel_irq_handler": "interrupt, its handler included",
    "tt_record": "an event is recorded",
    "tt_record_wide": "... in its wide form",
    "tt_record_string": "... with a text",
    "tt_drain_step": "a step of the drain",
}

_NODE = re.compile(
    r'^node: \{ title: "([^"]+)" label: "[^"]*?\\n(\d+) bytes \(([a-z,]+)\)', re.MULTILINE
)
_EDGE = re.compile(
    r'^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)" label: "([^":]+)', re.MULTILINE
)
_INDIRECT = "__indirect_call"


class StackError(Exception):
    """The call graph cannot be built or parsed; the message has the remedy."""


@dataclass(slots=True)
class Graph:
    """Functions by title; that of a static one begins with its file, as in `core/ring.c:filled`.

    Attributes:
        own_bytes: bytes of stack of each function itself.
        calls: functions that each function calls, pointers resolved.
        unbounded: functions whose stack depends on data.
    """

    own_bytes: dict[str, int] = field(default_factory=dict)
    calls: dict[str, set[str]] = field(default_factory=dict)
    unbounded: set[str] = field(default_factory=set)

    def cycle(self) -> list[str]:
        """Return functions that call each other in a cycle; empty without one."""
        done: set[str] = set()
        for start in sorted(self.own_bytes):
            path: list[str] = []
            found = self._walk(start, path, done)
            if found:
                return found
        return []

    def _walk(self, title: str, path: list[str], done: set[str]) -> list[str]:
        if title in path:
            return path[path.index(title) :]
        if title in done:
            return []
        path.append(title)
        for callee in sorted(self.calls.get(title, ())):
            found = self._walk(callee, path, done)
            if found:
                return found
        done.add(path.pop())
        return []

    def worst(self, title: str) -> tuple[int, list[str]]:
        """Return the worst-case stack of a function with its callees, and the chain of calls."""
        depth, chain = 0, list[str]()
        for callee in sorted(self.calls.get(title, ())):
            bytes_below, below = self.worst(callee)
            if bytes_below > depth:
                depth, chain = bytes_below, below
        return depth + self.own_bytes.get(title, 0), [title, *chain]

    def named(self, name: str) -> str:
        """Return the title of the function with a name.

        Raises:
            StackError: no function has this name, or several have it.
        """
        found = [title for title in self.own_bytes if title.rpartition(":")[2] == name]
        if len(found) != 1:
            raise StackError(f"{len(found)} functions are called {name}; correct tools/stack.py")
        return found[0]


def read_graph(texts: Iterable[str], targets: Mapping[str, str]) -> Graph:
    """Build the graph from the call graph files of the compiler, one per source.

    Raises:
        StackError: a file with a call through a pointer is not in `targets`.
    """
    graph = Graph()
    indirect: set[tuple[str, str]] = set()
    for text in texts:
        for title, own, kind in _NODE.findall(text):
            graph.own_bytes[title] = int(own)
            if kind == "dynamic":
                graph.unbounded.add(title)
        for source, target, place in _EDGE.findall(text):
            if target == _INDIRECT:
                indirect.add((source, place))
            else:
                graph.calls.setdefault(source, set()).add(target)
    for source, place in indirect:
        if place not in targets:
            raise StackError(
                f"{place} calls through a pointer: add its targets to TARGETS of tools/stack.py"
            )
        pattern = re.compile(targets[place])
        meant = {t for t in graph.own_bytes if pattern.fullmatch(t.rpartition(":")[2])}
        graph.calls.setdefault(source, set()).update(meant)
    return graph


def firmware_graph() -> Graph:
    """Compile an example with its firmware, and read its call graph.

    Raises:
        StackError: the firmware does not build.
    """
    folder = ROOT / "build/stack"
    command = ["make", "-s", "-C", str(ROOT / "firmware"), f"BOARD={BOARD}", f"EXAMPLE={EXAMPLE}"]
    command += [f"BUILD={folder}", "EXTRA_CFLAGS=-fcallgraph-info=su"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise StackError(f"the firmware does not build: {done.stderr.strip()}")
    files = sorted((folder / BOARD / f"{EXAMPLE}.obj").rglob("*.ci"))
    return read_graph((path.read_text(encoding="utf-8") for path in files), TARGETS)


def problems(graph: Graph) -> list[str]:
    """Return the problems: recursion, stack that depends on data, threads with too little stack."""
    circle = graph.cycle()
    if circle:
        return [f"recursion: {' > '.join([*circle, circle[0]])}"]
    found = [f"{title} takes as much stack as its data want" for title in sorted(graph.unbounded)]
    for name, given in THREADS.items():
        needed = graph.worst(graph.named(name))[0] + FRAME_BYTES
        if needed > given:
            found.append(f"thread {name} may need {needed} bytes of stack and has {given}")
    return found


def check(_root: Path) -> list[str]:
    """Check the firmware of this checkout, for the gate; return its problems."""
    try:
        return problems(firmware_graph())
    except StackError as error:
        return [str(error)]


def _rows(graph: Graph) -> list[tuple[str, int, str, str]]:
    """Return name, bytes, description, and the first calls of the deepest chain."""
    rows = []

    def add(title: str, more_bytes: int, what: str) -> None:
        worst, chain = graph.worst(title)
        names = [one.rpartition(":")[2] for one in chain]
        way = names[1:SHOWN_CALLS] + ["..."] * (len(names) > SHOWN_CALLS)
        rows.append((names[0], worst + more_bytes, what, " > ".join(way)))

    for name, what in ENTRIES.items():
        add(graph.named(name), 0, what)
    for name, given in THREADS.items():
        add(graph.named(name), FRAME_BYTES, f"thread, of {given}, an exception included")
    services = [title for title in graph.own_bytes if title.startswith("kernel_service_")]
    for title in sorted(services, key=lambda one: -graph.worst(one)[0]):
        add(title, 0, "service of a kernel call")
    return rows


def main() -> int:
    """Print the table; return 1 if there is a problem."""
    try:
        graph = firmware_graph()
        wrong = problems(graph)
        rows = [] if wrong else _rows(graph)
    except StackError as error:
        wrong, rows = [str(error)], []
    print(
        f"Worst case in bytes, {BOARD}, -O2. A thread that uses the FPU needs {FPU_BYTES} more.\n"
    )
    for name, worst, what, chain in rows:
        print(f"{worst:5}  {name:34}  {what:46}  {chain}".rstrip())
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
