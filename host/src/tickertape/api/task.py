"""The times of one task for Python programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tickertape.formats.arrow.batches import pyarrow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.answers.task_times import Column
    from tickertape.decode.records import I64


class TaskTimes:
    """Times of the instances of a task, as numpy arrays or as a table; returned by `Tape.task`.

        motor = tape.task("motor")
        print(motor.response_times_ns().max())

    The arrays have one value per instance with a known begin, end and time between: the instances
    that `Tape.stats` counts. They are int64, in order of boots and of ends, and in nanoseconds, or
    in ticks if the rate of the clock is unknown. `to_arrow` has all instances.

    Attributes:
        name: the name or number given to `Tape.task`.
    """

    def __init__(self, name: str, columns: Mapping[str, Column]) -> None:
        """Store the columns of `task_times`."""
        self.name = name
        self._columns = columns

    def __len__(self) -> int:
        """Count the instances, including partly known ones."""
        return len(self._columns["instance"].values)

    def __repr__(self) -> str:
        """Return name and number of instances."""
        whole = len(self.response_times_ns())
        return f"<tickertape.TaskTimes {self.name!r}, {len(self)} instances, {whole} whole>"

    def instances(self) -> I64:
        """Return the numbers of the instances, as `why` takes them."""
        return self._whole("instance")

    def response_times_ns(self) -> I64:
        """Return the times from activation to end."""
        return self._whole("response_ns")

    def execution_times_ns(self) -> I64:
        """Return the times on a CPU, without interrupts."""
        return self._whole("execution_ns")

    def ready_times_ns(self) -> I64:
        """Return the sums of the times ready after activation or release, before it runs."""
        return self._whole("ready_ns")

    def preempted_times_ns(self) -> I64:
        """Return the sums of the times in which other tasks had the CPU."""
        return self._whole("preempted_ns")

    def to_arrow(self) -> Any:  # noqa: ANN401 - pyarrow has no types
        """Return all instances as a `pyarrow.Table`; null means unknown.

        Columns are `boot`, `instance`, `activation_ns`, `end_ns`, `response_ns`, `execution_ns`,
        `ready_ns`, `preempted_ns`, `interrupted_ns`, `suspended_ns`, `preemptions` and
        `interruptions`, all int64.

        Raises:
            UsageError: pyarrow is not installed.
        """
        arrow = pyarrow()
        return arrow.table(
            {
                name: arrow.array(column.values, mask=~column.known)
                for name, column in self._columns.items()
            }
        )

    def _whole(self, name: str) -> I64:
        column = self._columns[name]
        return column.values[self._columns["response_ns"].known]
