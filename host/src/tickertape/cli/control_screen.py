"""The output of `control status` and `control classes`, as tables and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from tickertape.cli.console import PlainConsole
from tickertape.protocol.events import APPLICATION_CLASS_FIRST, APPLICATION_CLASS_LAST, EventClass
from tickertape.protocol.lookup import class_name
from tickertape.protocol.wire import Policy
from tickertape.report.numbers import count

if TYPE_CHECKING:
    from tickertape.control import ClassSelection, StreamStatus
    from tickertape.decode.bodies import Status

_KNOWN = sorted(
    {*map(int, EventClass), *range(APPLICATION_CLASS_FIRST, APPLICATION_CLASS_LAST + 1)}
)


def policy_name(number: int) -> str:
    """Return the name of a policy in wire.yaml."""
    try:
        return Policy(number).name
    except ValueError:
        return f"policy {number}"


def _in_rings(ring: Status) -> int:
    return ring.offered - ring.dropped - ring.overwritten - ring.settled.sent


def _losses(ring: Status) -> dict[str, tuple[int, int, int]]:
    """Return sent, dropped and overwritten records of a ring by class; omit classes without any."""
    return {
        class_name(number): (one.sent, one.dropped, one.overwritten)
        for number, one in enumerate(ring.classes)
        if one.sent or one.dropped or one.overwritten
    }


def status_to_json(status: StreamStatus) -> dict[str, Any]:
    """Return the JSON object of `control status`, which docs/control.md describes."""
    return {
        "target": status.hello.target,
        "build_id": status.hello.build_id,
        "stream": status.stream,
        "running": status.running,
        "policy": policy_name(status.policy),
        "cpus": [
            {
                "cpu": cpu,
                "offered": ring.offered,
                "sent": ring.settled.sent,
                "dropped": ring.dropped,
                "overwritten": ring.overwritten,
                "in_rings": _in_rings(ring),
                "buffers": status.hello.buffer_count,
                "high_water_buffers": ring.high_water_buffers,
                "classes": {
                    name: dict(zip(("sent", "dropped", "overwritten"), numbers, strict=True))
                    for name, numbers in _losses(ring).items()
                },
            }
            for cpu, ring in sorted(status.rings.items())
        ],
    }


def show_status(status: StreamStatus) -> None:
    """Print the status of a stream."""
    state = "records" if status.running else "is stopped"
    table = Table(box=None, pad_edge=False)
    names = ("cpu", "offered", "sent", "in the rings", "dropped", "overwritten", "most buffers")
    for name in names:
        table.add_column(name, justify="right")
    for cpu, ring in sorted(status.rings.items()):
        numbers = (ring.offered, ring.settled.sent, _in_rings(ring), ring.dropped, ring.overwritten)
        most = f"{ring.high_water_buffers} of {status.hello.buffer_count}"
        table.add_row(str(cpu), *map(count, numbers), most)
    lost = Table(box=None, pad_edge=False)
    for name in ("cpu", "class", "dropped", "overwritten"):
        lost.add_column(name, justify="left" if name == "class" else "right")
    for cpu, ring in sorted(status.rings.items()):
        for name, (_, dropped, overwritten) in _losses(ring).items():
            if dropped or overwritten:
                lost.add_row(str(cpu), name, count(dropped), count(overwritten))
    console = PlainConsole()
    console.print(
        f"{status.hello.target}: stream {status.stream} {state},"
        f" policy {policy_name(status.policy)}"
    )
    console.print(table)
    if lost.row_count:
        console.print("\nLost by class", lost)


def _share(selection: ClassSelection, number: int) -> str:
    if number in selection.every:
        return "every"
    return "some" if number in selection.any else "none"


def classes_to_json(selection: ClassSelection, stream: int) -> dict[str, Any]:
    """Return the JSON object of `control classes`, which docs/control.md describes."""
    classes = {class_name(number): _share(selection, number) for number in _KNOWN}
    return {"stream": stream, "classes": classes}


def show_classes(selection: ClassSelection, stream: int) -> None:
    """Print the classes that a stream records; equal consecutive application classes share a line.

    Each class has all of its events recorded, some, or none.
    """
    table = Table(box=None, pad_edge=False)
    table.add_column("class")
    table.add_column("events")
    first: int | None = None
    for number in _KNOWN:
        share = _share(selection, number)
        following = number + 1
        if number >= APPLICATION_CLASS_FIRST and first is None:
            first = number
        alike = following in _KNOWN and _share(selection, following) == share
        if first is not None and alike:
            continue
        begin = number if first is None else first
        table.add_row(class_name(begin) + f"-{number}" * (begin != number), share)
        first = None
    PlainConsole().print(f"Stream {stream} records", table)
