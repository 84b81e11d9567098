"""The rows of one board, from transitions of the kernel model and events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.model.compiled_system import system_model
from tickertape.model.entities import Kind
from tickertape.model.transitions import OF_LIVES, Action, State, is_scheduled, scheduled
from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SchedEvent, SyncEvent
from tickertape.protocol.lookup import event_type
from tickertape.protocol.wire import CLASS_SHIFT, EVENT_MASK
from tickertape.text import escaped
from tickertape.view.board_arrows import BoardArrows, Step, key_of
from tickertape.view.rows import INTERRUPT, KERNEL, POINT

if TYPE_CHECKING:
    from enum import IntEnum

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64, U8
    from tickertape.model.boot import Boot, BootOf
    from tickertape.model.transitions import Transitions
    from tickertape.view.arrow_log import ArrowLog
    from tickertape.view.axis import Place
    from tickertape.view.rows import RowLog

NONE: Final = -1
_STATES, _CPU, _VALUES, _MOMENTS = range(4)
_GROUPS: Final = {
    Kind.CORE: ("cpu", _CPU),
    Kind.TASK: ("task", _STATES),
    Kind.INTERRUPT: ("interrupt", _STATES),
    Kind.MUTEX: ("lock", _STATES),
    Kind.SEMAPHORE: ("semaphore", _STATES),
    Kind.SPINLOCK: ("lock", _STATES),
    Kind.RUNNABLE: ("function", _STATES),
    Kind.SIGNAL: ("counter", _VALUES),
    Kind.EVENT: ("flags", _MOMENTS),
    Kind.CHANNEL: ("channel", _MOMENTS),
    Kind.STIMULUS: ("stimulus", _MOMENTS),
    Kind.DOMAIN: ("domain", _MOMENTS),
}


def _members(of: type[IntEnum], *members: int) -> NDArray[np.bool_]:
    """Return a table, by number, that is true for the given members of an enumeration."""
    found = np.zeros(max(of) + 1, bool)
    found[list(members)] = True
    return found


_LOCKS: Final = _members(Kind, Kind.MUTEX, Kind.SPINLOCK)
_TAKES: Final = _members(Action, Action.TAKE, Action.ASSIGN, Action.GRANT)
_ENDS: Final = _members(Action, Action.GIVE, Action.LOSE)
_LIVES: Final = _members(Action, *OF_LIVES)
_USES: Final = _members(Action, Action.READ, Action.WRITE)
_PRIORITY: Final = event_code(EventClass.SCHED, SchedEvent.PRIORITY)
_INHERIT: Final = event_code(EventClass.SYNC, SyncEvent.MUTEX_INHERIT)
_USER: Final = event_code(EventClass.USER, 0)
_EVENTS_A_CLASS: Final = 1 << CLASS_SHIFT
_FIRST_OWN: Final = event_code(16, 0)
_ROW_BITS: Final = 40
_STEP_BITS: Final = 2
_LEAVE, _BETWEEN, _ENTER = range(3)  # steps of one event on a CPU, in this order


def _shown(states: U8) -> U8:
    """Return the states that rows have: without an instance, a task is TERMINATED."""
    return np.where(states < KERNEL, states, np.uint8(State.TERMINATED))


class RowTable:
    """All rows, numbered in the order of their first mention."""

    def __init__(self) -> None:
        """Create a table without rows."""
        self._rows: list[dict[str, object]] = []

    def new(self, kind: str, name: str, **more: object) -> int:
        """Add a row; return its number."""
        self._rows.append({"kind": kind, "name": name, **more})
        return len(self._rows) - 1

    def heads(self) -> list[State]:
        """Return the state of each row before its first entry; rows of moments have none."""
        of_states = ("cpu", *(group for group, sort in _GROUPS.values() if sort == _STATES))
        return [
            State.UNKNOWN if row["kind"] in of_states else State.TERMINATED for row in self._rows
        ]

    def __getitem__(self, row: int) -> dict[str, object]:
        """Return the attributes of a row."""
        return self._rows[row]

    def to_json(self) -> list[dict[str, object]]:
        """Return all rows; the index in the list is the number."""
        return [{"row": number, **row} for number, row in enumerate(self._rows)]


class BoardRows:
    """Writes the rows of one board, boot by boot."""

    def __init__(
        self,
        boots: BootOf,
        table: RowTable,
        logs: tuple[RowLog, ArrowLog],
        board: str,
        number: int,
    ) -> None:
        """Start the kernel model of the board; `begin` starts a boot."""
        self._boots = boots
        self._given: dict[int, Boot] = {}
        self._model = system_model(lambda epoch: self._boot(epoch).names)
        self._table = table
        self._log = logs[0]
        self._arrows = BoardArrows(logs[1])
        self._board = board
        self._number = number
        # By entity: row or NONE, kind, sort of row; and the holder of a lock.
        self._row = np.zeros(0, np.int64)
        self._kind = np.zeros(0, np.int64)
        self._sort = np.zeros(0, np.int64)
        self._holder = np.zeros(0, np.int64)
        self._since = np.zeros(0, np.int64)
        self._number_of = np.zeros(0, np.int64)
        # CPUs may serve the same interrupt at the same time: `_row` is the row of the first CPU.
        self._home = np.zeros(0, np.int64)
        self._elsewhere: dict[tuple[int, int], int] = {}
        self._codes: dict[int, int] = {}
        self._priorities: dict[int, int] = {}
        self._ends: dict[int, int] = {}

    def _boot(self, epoch: int) -> Boot:
        return self._given.setdefault(epoch, self._boots(epoch))

    def begin(self, place: Place, begin: int) -> None:
        """Begin a boot at a time of the axis."""
        self._place, self._begin, self._last, self._is_first = place, begin, begin, True
        self._seen: set[int] = set()
        self._cpu_last: dict[int, int] = {}
        self._holder[:] = NONE
        self._arrows.begin(place)

    def feed(self, columns: EventColumns) -> None:
        """Write the intervals and arrows of the next events."""
        every = self._model.feed(columns).contiguous()
        self._grow()
        kept = np.ones(len(every), bool)
        if self._is_first:  # the first transitions of a boot end what the previous one left open
            kept = (every.row > 0) | (every.action != Action.LOSE)
        self._is_first = False
        time = np.maximum(self._place.ns(every.time), self._begin)
        if len(time):
            self._last = max(self._last, int(time.max()))
        times = self._place.ns(columns.time)
        if len(times):
            self._last = max(self._last, int(times.max()))
        for cpu in np.unique(columns.cpu).tolist():
            self._cpu_last[cpu] = int(times[columns.cpu == cpu].max())
        holder, since = self._states(every, time, kept)
        found = scheduled(every)
        if found is not every:  # only rows of processes distinguish polling from running
            rows = is_scheduled(every)
            found = found.contiguous()
            time, kept, holder, since = time[rows], kept[rows], holder[rows], since[rows]
        changes = self._cpus(found, time, kept)
        self._moments(found, time, kept)
        self._named_events(columns, times)
        self._learn_priorities(columns)
        step = Step(
            found,
            time,
            kept,
            self._kind[found.entity],
            self._row[found.entity],
            self._process_rows(found.source, found.cpu),
            self._row_of(found.object),
            holder,
            since,
            changes,
            self._tasks_by_number(),
        )
        self._arrows.feed(columns, times, step)

    def _process_rows(self, entity: NDArray[np.integer], cpu: U8) -> I64:
        """Return the rows of processes, of interrupts by CPU; NONE for no process."""
        found = np.full(len(entity), NONE, np.int64)
        at = np.flatnonzero(entity >= 0)
        found[at] = self._rows_by_cpu(entity[at], cpu[at])
        return found

    def _tasks_by_number(self) -> dict[int, int]:
        """Return the rows of tasks by thread number; NONE if two tasks have the number."""
        found: dict[int, int] = {}
        for entity in np.flatnonzero(self._kind == Kind.TASK).tolist():
            number = self._model.entities[entity].number
            found[number] = NONE if number in found else int(self._row[entity])
        return found

    def finish(self) -> int:
        """End the boot; return the time of its last record or transition, ns on the axis."""
        rows = sorted(self._seen)
        cpus = {
            int(self._row[entity]): self._model.entities[int(entity)].number
            for entity in np.flatnonzero(self._sort == _CPU)
        }
        last = [
            max(self._cpu_last.get(cpus[row], 0), self._ends.get(row, 0))
            if row in cpus
            else self._last
            for row in rows
        ]
        zeros = np.zeros(len(rows), np.uint8)
        self._log.add(
            np.array(rows, np.int64),
            np.array(last, np.int64),
            zeros,
            zeros,
            np.full(len(rows), NONE, np.int32),
        )
        for entity, row in enumerate(self._row.tolist()):
            if row != NONE:
                self._describe(row, entity)
        self._arrows.finish(self._begin, self._last)
        for (entity, cpu), row in self._elsewhere.items():
            name, home = self._model.entities[entity].name, int(self._home[entity])
            for one, number in ((row, cpu), (int(self._row[entity]), home)):
                self._table[one].update(name=f"{name} on CPU {number}", cpu=number)
        return self._last

    def _describe(self, row: int, entity: int) -> None:
        """Store the current name of an entity in its row."""
        one = self._model.entities[entity]
        name = f"CPU {one.number}" if one.kind is Kind.CORE else one.name
        self._table[row]["name"] = name
        if one.kind is Kind.TASK and one.number in self._priorities:
            self._table[row].setdefault("priority", self._priorities[one.number])

    def _grow(self) -> None:
        """Make rows for new entities of the model."""
        entities = self._model.entities
        new = [entities[index] for index in range(len(self._row), len(entities))]
        if not new:
            return
        rows, sorts = [], []
        for one in new:
            group, sort = _GROUPS.get(one.kind, ("", NONE))
            rows.append(
                self._table.new(group, one.name, board=self._board, number=one.number)
                if group
                else NONE
            )
            sorts.append(sort)
        self._row = np.append(self._row, rows).astype(np.int64)
        self._kind = np.append(self._kind, [one.kind for one in new]).astype(np.int64)
        self._sort = np.append(self._sort, sorts).astype(np.int64)
        numbers = [one.number if one.kind is Kind.CORE else NONE for one in new]
        self._number_of = np.append(self._number_of, numbers).astype(np.int64)
        self._holder = np.append(self._holder, np.full(len(new), NONE)).astype(np.int64)
        self._since = np.append(self._since, np.zeros(len(new))).astype(np.int64)
        self._home = np.append(self._home, np.full(len(new), NONE)).astype(np.int64)

    def _row_of(self, entity: NDArray[np.integer]) -> I64:
        """Return the rows of entities; NONE for no entity."""
        return np.where(entity >= 0, self._row[np.maximum(entity, 0)], NONE)

    def _states(self, t: Transitions, time: I64, kept: NDArray[np.bool_]) -> tuple[I64, I64]:
        """Log the states that tasks, interrupts, functions and locks enter.

        Returns:
            Holders of locks and the time since when, as `_holders`.
        """
        of_states = kept & (self._sort[t.entity] == _STATES)
        is_lock = _LOCKS[self._kind[t.entity]] & of_states
        holder, since = self._holders(t, time, is_lock)
        changes = (
            of_states & ~_LIVES[t.action] & ((t.before != t.after) | (is_lock & _TAKES[t.action]))
        )
        at = np.flatnonzero(changes)
        waits = t.action[at] == Action.WAIT
        runs = (t.after[at] == State.RUNNING) & ~is_lock[at]
        detail = np.where(waits | (t.action[at] == Action.POLL), self._row_of(t.object[at]), NONE)
        detail = np.where(runs, t.cpu[at].astype(np.int64), detail)
        detail = np.where(is_lock[at], holder[at], detail)
        cause = np.where(waits & (t.value[at] >= 0), t.value[at] & 0xFF, 0)
        rows = self._rows_by_cpu(t.entity[at], t.cpu[at])
        self._add(rows, time[at], _shown(t.before[at]), _shown(t.after[at]), cause, detail)
        return holder, since

    def _rows_by_cpu(self, entity: NDArray[np.integer], cpu: U8) -> I64:
        """Return the rows of entities; an interrupt has one row per CPU that serves it."""
        rows: I64 = self._row[entity]
        served = np.flatnonzero(self._kind[entity] == Kind.INTERRUPT)
        new = served[self._home[entity[served]] == NONE][::-1]
        self._home[entity[new]] = cpu[new]  # reversed: the first CPU of each wins
        served = served[self._home[entity[served]] != cpu[served]]
        keys = entity[served].astype(np.int64) << 8 | cpu[served]
        for key in np.unique(keys).tolist():
            one, number = key >> 8, key & 0xFF
            row = self._elsewhere.get((one, number))
            if row is None:
                known = self._model.entities[one]
                row = self._table.new(
                    "interrupt", known.name, board=self._board, number=known.number
                )
                self._elsewhere[one, number] = row
            rows[served[keys == key]] = row
        return rows

    def _holders(self, t: Transitions, time: I64, is_lock: NDArray[np.bool_]) -> tuple[I64, I64]:
        """Return for each transition of a lock the row of its holder afterwards, and since when."""
        found, since = np.full(len(t), NONE, np.int64), np.zeros(len(t), np.int64)
        at = np.flatnonzero(is_lock)
        if not len(at):
            return found, since
        at = at[np.argsort(t.entity[at], kind="stable")]
        entity = t.entity[at]
        takes = _TAKES[t.action[at]]
        sets = takes | _ENDS[t.action[at]]
        to = np.where(takes, self._row_of(t.source[at]), NONE)
        starts = np.concatenate([[True], entity[1:] != entity[:-1]])
        # The last transition of the same lock that sets a holder; -1 if this chunk has none.
        setter = np.maximum.accumulate(np.where(sets, np.arange(len(at)), -1))
        first = np.maximum.accumulate(np.where(starts, np.arange(len(at)), 0))
        known = setter >= first
        found[at] = np.where(known, to[np.maximum(setter, 0)], self._holder[entity])
        since[at] = np.where(known, time[at[np.maximum(setter, 0)]], self._since[entity])
        ends = np.concatenate([starts[1:], [True]])
        self._holder[entity[ends]] = found[at[ends]]
        self._since[entity[ends]] = since[at[ends]]
        return found, since

    def _add(
        self,
        rows: I64,
        time: I64,
        before: U8,
        state: U8,
        cause: NDArray[np.integer],
        detail: I64,
    ) -> None:
        """Log states; the state before the first one of an entity lasts from the boot's begin."""
        new = [row for row in np.flatnonzero(np.bincount(rows)).tolist() if row not in self._seen]
        if new:
            self._seen.update(new)
            count = len(new)
            self._log.add(
                np.array(new, np.int64),
                np.full(count, self._begin, np.int64),
                np.array([before[np.argmax(rows == row)] for row in new], np.uint8),
                np.zeros(count, np.uint8),
                np.full(count, NONE, np.int32),
            )
        self._log.add(
            rows, time, state.astype(np.uint8), cause.astype(np.uint8), detail.astype(np.int32)
        )

    def _cpus(self, t: Transitions, time: I64, kept: NDArray[np.bool_]) -> tuple[I64, I64]:
        """Log which process has each CPU, or that none has it.

        Returns:
            Keys of the events that change it, ascending, and the row of the process that has the
            CPU afterwards.
        """
        kind = self._kind[t.entity]
        is_process = kept & ((kind == Kind.TASK) | (kind == Kind.INTERRUPT)) & (t.source >= 0)
        leaves = is_process & (t.before == State.RUNNING) & (t.after != State.RUNNING)
        enters = is_process & (t.after == State.RUNNING) & (t.before != State.RUNNING)
        own = kept & (kind == Kind.CORE) & (t.before != t.after)
        steps = np.select([leaves, own, enters], [_LEAVE, _BETWEEN, _ENTER], _ENTER + 1)
        at = np.flatnonzero(steps <= _ENTER)
        order = steps[at]
        core = np.where(order == _BETWEEN, t.entity[at], t.source[at])
        by = _by_core(core, time[at], t.row[at], order)
        at, order, core = at[by], order[by], core[by]
        # Keep the last step of an event; a lost one may have another time.
        keys = np.stack([core, t.row[at], time[at]])
        last = np.ones(len(at), bool)
        last[:-1] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
        at, order, core = at[last], order[last], core[last]
        process = np.where(kind[at] == Kind.TASK, int(State.RUNNING), INTERRUPT)
        idle = np.where(t.after[at] == State.USED, KERNEL, t.after[at])
        state = np.select([order == _LEAVE, order == _BETWEEN], [KERNEL, idle], process)
        process_row = self._process_rows(t.entity[at], t.cpu[at])
        detail = np.where(order == _ENTER, process_row, NONE)
        before = np.zeros(len(at), np.uint8)
        self._add(self._row[core], time[at], before, state.astype(np.uint8), before, detail)
        rows, times = self._row[core], time[at]
        for row in np.flatnonzero(np.bincount(rows)).tolist():
            self._ends[row] = max(self._ends.get(row, 0), int(times[rows == row].max()))
        keys = key_of(self._number_of[core], t.row[at])
        by_key = np.argsort(keys, kind="stable")
        return keys[by_key], detail[by_key]

    def _moments(self, t: Transitions, time: I64, kept: NDArray[np.bool_]) -> None:
        """Log each transition of channels, flags, stimuli and domains, and values of signals."""
        sort = self._sort[t.entity]
        values = kept & (sort == _VALUES) & _USES[t.action]
        moments = kept & (sort == _MOMENTS) & (t.action != Action.LOSE) & (t.action != Action.FOUND)
        for mask, is_value in ((values, True), (moments, False)):
            at = np.flatnonzero(mask)
            detail = t.value[at] & 0xFFFFFFFF if is_value else self._row_of(t.source[at])
            self._log.add(
                self._row[t.entity[at]],
                time[at],
                np.full(len(at), POINT, np.uint8),
                t.action[at],
                detail.astype(np.uint32).view(np.int32) if is_value else detail.astype(np.int32),
            )

    def _named_events(self, columns: EventColumns, times: I64) -> None:
        """Log user events, events of applications and inherited priorities, a row for each type."""
        code = columns.code.astype(np.int64)
        wanted = (code - _USER >= 0) & (code - _USER < _EVENTS_A_CLASS)
        at = np.flatnonzero(wanted | (code >= _FIRST_OWN) | (code == _INHERIT))
        if not len(at):
            return
        codes, which = np.unique(code[at], return_inverse=True)
        rows = np.array([self._event_row(one, columns.epoch) for one in codes.tolist()], np.int64)
        count = len(at)
        self._log.add(
            rows[which],
            np.maximum(times[at], self._begin),
            np.full(count, POINT, np.uint8),
            np.zeros(count, np.uint8),
            columns.data0[at].view(np.int32),
        )

    def _event_row(self, code: int, epoch: int) -> int:
        row = self._codes.get(code)
        if row is None:
            what = event_type(code >> CLASS_SHIFT, code & EVENT_MASK)
            name = self._boot(epoch).names.event(code) or f"{what.class_name} {what.name}"
            kind = "inheritance" if code == _INHERIT else "user event"
            name = "priority inherited" if code == _INHERIT else name
            row = self._table.new(kind, escaped(name), board=self._board, number=code)
            self._codes[code] = row
        return row

    def _learn_priorities(self, columns: EventColumns) -> None:
        """Store the first priority of each thread, its own; later ones may be inherited."""
        at = np.flatnonzero(columns.code == _PRIORITY)
        for tid, priority in zip(
            columns.data0[at].tolist(), columns.data1[at].tolist(), strict=True
        ):
            self._priorities.setdefault(tid, priority)


def _by_core(core: I64, time: I64, row: I64, step: I64) -> I64:
    """Return the stable order by core, time, event and step.

    Times usually increase with the events: then one number per transition is a sufficient key.
    """
    later, next_ = np.diff(time), np.diff(row)
    if ((later > 0) & (next_ > 0) | (later == 0) & (next_ >= 0)).all():
        keys = core.astype(np.int64) << _ROW_BITS | row << _STEP_BITS | step
        return np.argsort(keys, kind="stable")
    return np.lexsort((step, row, time, core))
