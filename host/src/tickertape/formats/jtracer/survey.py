"""Collects tasks, resources and CPUs of a JTracer file, and conventions of its writer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tickertape.errors import ForeignFile
from tickertape.formats.jtracer.file import JtracerFile
from tickertape.formats.jtracer.types import ON_CPU, JtracerType
from tickertape.protocol.event_type import event_code
from tickertape.protocol.wire import NAME, ObjectKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tickertape.formats.jtracer.file import JtracerRecord

JTRACER_CLASS: Final = 29
"""Class of records that correspond to no event of tickertape."""
IDLE: Final = 0
MOST_CPUS: Final = 64
MOST_NAMES: Final = 1 << 16

_IDLE_NAME: Final = "idle"
_NUMBERS: Final = 1 << 32
_OWN: Final = (JtracerType.POSTPONE, JtracerType.DEADLINE)


@dataclass(slots=True)
class Survey:
    """Result of the first reading of a file.

    Attributes:
        tasks: names of tasks by number.
        resources: names of resources by number.
        cpu_count: one more than the highest CPU number.
        end_leaves: whether the end of a job takes its task off the CPU, as in TrcUtils: the file
            schedules a task after an end without a deschedule between them.
        task_0: number of task 0 on the tape; None if task 0 is the idle task or does not occur.
        left_out: number of names beyond the limit.
    """

    tasks: dict[int, str] = field(default_factory=dict)
    resources: dict[int, str] = field(default_factory=dict)
    cpu_count: int = 1
    end_leaves: bool = False
    task_0: int | None = None
    left_out: Counter[str] = field(default_factory=Counter)

    def number(self, task: int) -> int:
        """Return the number of a task on the tape."""
        return self.task_0 if task == IDLE and self.task_0 is not None else task

    def name_bodies(self) -> Iterator[bytes]:
        """Yield bodies of NAME frames for tasks, resources and events of `JTRACER_CLASS`."""
        fixed = dict.fromkeys(("state", "priority", "cpu", "parent"), 0)
        named = [
            *((ObjectKind.THREAD, self.number(task), name) for task, name in self.tasks.items()),
            *((ObjectKind.SEMAPHORE, id_, name) for id_, name in self.resources.items()),
            *((ObjectKind.EVENT, event_code(JTRACER_CLASS, kind), kind.name) for kind in _OWN),
        ]
        for kind, id_, name in named:
            if not name:
                continue
            yield NAME.build({**fixed, "kind": kind, "id": id_}) + name.encode()

    def keep(self, names: dict[int, str], number: int, name: str) -> None:
        """Store a name; beyond `MOST_NAMES`, only count it."""
        if number in names or len(names) < MOST_NAMES:
            names[number] = name or names.get(number, "")
        else:
            self.left_out["names of more tasks or resources than can be kept"] += 1


def surveyed(source: Path) -> Survey:
    """Read a whole file.

    Raises:
        TapeMissing: the file does not exist or is not readable.
        ForeignFile: the file is not a JTracer file, or has no record.
    """
    survey, highest, count = Survey(), 0, 0
    running: dict[int, int] = {}
    ended: set[int] = set()  # CPUs on which the job of the running task has ended
    is_used = False
    with JtracerFile(source) as file:
        for _, record in file.records():
            count += 1
            highest = max(highest, record.task)
            is_used = is_used or (record.task == IDLE and record.type != JtracerType.IDLE)
            cpu = cpu_of(record)
            match record.type:
                case JtracerType.NAME:
                    survey.keep(survey.tasks, record.task, record.name or "")
                case JtracerType.WAIT | JtracerType.SIGNAL:
                    survey.keep(survey.resources, record.extras[0], record.name or "")
                case JtracerType.END if running.get(cpu) == record.task:
                    ended.add(cpu)
                case JtracerType.SCHEDULE if cpu < MOST_CPUS:
                    survey.end_leaves |= cpu in ended
                    running[cpu] = record.task
                    ended.discard(cpu)
                case JtracerType.DESCHEDULE:
                    ended.discard(cpu)
            if cpu < MOST_CPUS:
                survey.cpu_count = max(survey.cpu_count, cpu + 1)
    if not count:
        raise ForeignFile(f"{source} holds no record", "give a file that was written to its end")
    if is_used and survey.tasks.get(IDLE, "") != _IDLE_NAME:
        survey.task_0 = (highest + 1) % _NUMBERS or _free(survey.tasks)
    return survey


def _free(tasks: dict[int, str]) -> int:
    """Return the lowest number above 0 that no named task has."""
    return next(number for number in range(1, _NUMBERS) if number not in tasks)


def cpu_of(record: JtracerRecord) -> int:
    """Return the CPU of a record; 0 without one."""
    return record.extras[0] if record.type in ON_CPU and record.extras else 0
