"""Simulate tasks that act on each other at random: event rows, and the true list of actions."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.support.columns import Row, born, state, switch

IDLE, IRQ, TASKS, LOCKS, NUMBERS = 0, 40, (1, 2, 3), (0x2000_0000, 0x2000_0010), 6
ENTRY, EXIT = (3, 1), (3, 2)
GRANTED, DENIED, UNLOCK, INHERIT, RESTORE = ((8, number) for number in (0, 1, 3, 4, 5))
SENT, RECEIVED, REPLY = (7, 0), (7, 2), (7, 10)
READY, SLEEP, WAIT_MUTEX = 2, 12, 13
_GAP = 3  # ticks between two random actions

Acted = tuple[str, str, str, int, int]
"""Kind, actor, object, begin and end in ticks. Tasks are "t1", the interrupt is "irq"."""


@dataclass
class Actors:
    """One CPU with three tasks, two locks and an interrupt.

    Attributes:
        rows: the events that a kernel would record.
        truth: the actions that happened.
    """

    rng: random.Random
    rows: list[Row] = field(default_factory=list)
    truth: list[Acted] = field(default_factory=list)
    now: int = 10
    running: int = IDLE
    waits: dict[int, int] = field(default_factory=dict)
    asleep: set[int] = field(default_factory=set)
    owner: dict[int, int] = field(default_factory=dict)
    given: dict[int, tuple[int, int]] = field(default_factory=dict)
    sent: dict[int, tuple[int, int]] = field(default_factory=dict)
    served: dict[int, set[int]] = field(default_factory=dict)
    raised: dict[int, int] = field(default_factory=dict)

    def run(self, steps: int) -> None:
        """Take `steps` random actions."""
        for tid in TASKS:
            self.rows += born(self.now, tid, f"t{tid}")
        self._switch()
        for _ in range(steps):
            self.now += _GAP
            if self.running == IDLE:
                self.rng.choice([self._interrupt, self._switch])()
            else:
                actions = [self._interrupt, self._switch, self._sleep, self._send, self._receive]
                self.rng.choice([*actions, self._reply, self._lock, self._unlock, self._raise])()
        self.now += _GAP
        self.truth += [("message", f"t{tid}", "?", at, at) for tid, at in self.sent.values()]
        self.truth += [("raised", f"t{tid}", "?", at, self.now) for tid, at in self.raised.items()]
        self.rows.append(Row(self.now))

    def _row(self, kind: tuple[int, int], first: int, second: int = 0) -> None:
        self.rows.append(Row(self.now, kind, (first, second)))

    def _acts(self, kind: str, who: int, whom: int, since: int) -> None:
        names = [f"t{one}" if one in TASKS else "irq" for one in (who, whom)]
        self.truth.append((kind, names[0], names[1], since, self.now))

    def _switch(self) -> None:
        ready = [one for one in TASKS if one not in self.waits and one not in self.asleep]
        following = self.rng.choice([one for one in ready if one != self.running] or [IDLE])
        if following != self.running:
            self.rows.append(switch(self.now, self.running, following))
            self.running = following

    def _stop_running(self, number: int) -> None:
        self.rows.append(state(self.now, number, self.running))
        self._switch()

    def _wake(self, by: int, tid: int) -> None:
        self.rows.append(state(self.now, READY, tid))
        self._acts("wake", by, tid, self.now)

    def _interrupt(self) -> None:
        self._row(ENTRY, IRQ)
        self.now += 1
        if self.asleep:
            tid = self.rng.choice(sorted(self.asleep))
            self.asleep.remove(tid)
            self._wake(IRQ, tid)
        self.now += 1
        self._row(EXIT, IRQ)

    def _sleep(self) -> None:
        self.asleep.add(self.running)
        self._stop_running(SLEEP)

    def _send(self) -> None:
        number = self.rng.randrange(1, NUMBERS)
        if number not in self.sent:
            self.sent[number] = (self.running, self.now)
            self._row(SENT, number)

    def _receive(self) -> None:
        if self.sent:
            number = self.rng.choice(sorted(self.sent))
            sender, at = self.sent.pop(number)
            self._row(RECEIVED, number)
            self._acts("message", sender, self.running, at)
            self.served.setdefault(self.running, set()).add(sender)

    def _reply(self) -> None:
        clients = self.served.get(self.running)
        if clients:
            client = self.rng.choice(sorted(clients))
            clients.remove(client)
            self._row(REPLY, client)
            self._acts("reply", self.running, client, self.now)

    def _lock(self) -> None:
        lock = self.rng.choice(LOCKS)
        if lock not in self.owner:
            self._own(lock, self.running)
        elif self.owner[lock] != self.running:
            self._row(DENIED, lock, self.owner[lock])
            self._acts("blocked", self.running, self.owner[lock], self.now)
            self.waits[self.running] = lock
            self._stop_running(WAIT_MUTEX)

    def _own(self, lock: int, tid: int) -> None:
        self._row(GRANTED, lock, tid)
        self.owner[lock] = tid
        before, at = self.given.get(lock, (tid, 0))
        if before != tid:
            self._acts("lock", before, tid, at)

    def _unlock(self) -> None:
        mine = [lock for lock, tid in self.owner.items() if tid == self.running]
        if mine:
            lock = self.rng.choice(mine)
            del self.owner[lock]
            self.given[lock] = (self.running, self.now)
            self._row(UNLOCK, lock, self.running)
            waiting = [tid for tid, wanted in self.waits.items() if wanted == lock]
            if waiting:
                tid = self.rng.choice(waiting)
                del self.waits[tid]
                self._own(lock, tid)
                self._wake(self.running, tid)

    def _raise(self) -> None:
        tid = self.rng.choice(TASKS)
        since = self.raised.pop(tid, None)
        self._row(INHERIT if since is None else RESTORE, tid, 9)
        if since is None:
            self.raised[tid] = self.now
        else:
            self._acts("raised", tid, tid, since)


def actors(seed: int, steps: int) -> Actors:
    """Return tasks after `steps` random actions; equal for equal seeds."""
    found = Actors(random.Random(seed))
    found.run(steps)
    return found
