"""Woken waiters, and other tasks that take the object before them."""

from __future__ import annotations

import pytest

from tests.model.follow import said_of
from tests.support.columns import Row, born, columns, state, switch
from tickertape.decode.bodies import Name
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.model.transitions import Action
from tickertape.protocol.wire import ObjectKind

READY, MUTEX, SEM = 2, 13, 17
LOCK, SEMAPHORE = 0x100, 0x300


def sync(time: int, event: int, address: int, word: int) -> Row:
    return Row(time, (8, event), (address, word))


def test_who_is_faster_than_a_woken_waiter_has_the_mutex_and_the_other_waits_on() -> None:
    rows = [
        *born(0, 1, "a"),
        *born(0, 2, "b"),
        *born(0, 3, "c"),
        switch(1, 0, 1),
        sync(2, 0, LOCK, 1),
        switch(3, 1, 2),
        sync(4, 1, LOCK, 1),
        state(4, MUTEX, 2),
        switch(5, 2, 1),
        sync(6, 3, LOCK, 1),
        state(6, READY, 2),
        switch(7, 1, 3),
        sync(8, 0, LOCK, 3),
        switch(9, 3, 2),
        sync(10, 1, LOCK, 3),
        state(10, MUTEX, 2),
        switch(11, 2, 3),
        sync(12, 3, LOCK, 3),
        state(12, READY, 2),
        switch(13, 3, 2),
        sync(14, 0, LOCK, 2),
        sync(15, 3, LOCK, 2),
    ]
    assert [one[2:] for one in said_of(rows) if one[0] == "mutex 0x100"] == [
        ("FOUND", "UNKNOWN", "FREE"),
        ("TAKE", "FREE", "FULL"),
        ("QUEUE", "FULL", "OVERFULL"),
        ("GIVE", "OVERFULL", "FULL"),
        ("TAKE", "FULL", "OVERFULL"),
        ("GIVE", "OVERFULL", "FULL"),
        ("ASSIGN", "FULL", "FULL"),
        ("GIVE", "FULL", "FREE"),
    ]


def counts_of(rows: list[Row], limit: int) -> list[tuple[str, int]]:
    """Return the actions of a semaphore, each with the number of owners and waiters after it."""
    kind = ObjectKind.SEMAPHORE.value
    said = {(kind, SEMAPHORE): Name(kind, 0, 0, 0, SEMAPHORE, limit, "s")}
    model = SystemModel(lambda _epoch: Names(said))
    found = model.feed(columns(rows))
    return [
        (Action(action).name, value)
        for entity, action, value in zip(
            found.entity.tolist(), found.action.tolist(), found.value.tolist(), strict=True
        )
        if model.entities[entity].name == "s"
    ]


_SIGNAL, _GRANTED, _BLOCKED = 12, 9, 10


@pytest.mark.parametrize("kept", [0, 1])
def test_a_woken_waiter_has_its_permit_however_the_kernel_counts(kept: int) -> None:
    """A kernel hands permits over, or counts them until the waiters run (`kept` is 1)."""
    rows = [
        *born(0, 1, "a"),
        *born(0, 2, "b"),
        switch(1, 0, 1),
        sync(2, _SIGNAL, SEMAPHORE, 1),
        sync(3, _GRANTED, SEMAPHORE, 0),
        sync(4, _BLOCKED, SEMAPHORE, 1),
        state(4, SEM, 1),
        switch(5, 1, 2),
        sync(6, _SIGNAL, SEMAPHORE, 0),
        state(6, READY, 1),
        sync(7, _SIGNAL, SEMAPHORE, 1 + kept),
        sync(8, _GRANTED, SEMAPHORE, kept),
        sync(9, _SIGNAL, SEMAPHORE, 1 + kept),
        switch(10, 2, 1),
        sync(11, _GRANTED, SEMAPHORE, 1),
        sync(12, _SIGNAL, SEMAPHORE, 2),
    ]
    assert counts_of(rows, 2) == [
        ("FOUND", 2),
        ("GIVE", 1),
        ("TAKE", 2),
        ("QUEUE", 3),
        ("GIVE", 2),
        ("GIVE", 1),
        ("TAKE", 2),
        ("GIVE", 1),
        ("ASSIGN", 1),
        ("GIVE", 0),
    ]


def test_a_woken_waiter_that_finds_no_permit_waits_on() -> None:
    rows = [
        *born(0, 1, "a"),
        *born(0, 2, "b"),
        switch(1, 0, 1),
        sync(2, _BLOCKED, SEMAPHORE, 1),
        state(2, SEM, 1),
        switch(3, 1, 2),
        sync(4, _SIGNAL, SEMAPHORE, 0),
        state(4, READY, 1),
        sync(5, _GRANTED, SEMAPHORE, 0),
        switch(6, 2, 1),
        sync(7, _BLOCKED, SEMAPHORE, 1),
        state(7, SEM, 1),
        switch(8, 1, 2),
        sync(9, _SIGNAL, SEMAPHORE, 0),
        switch(10, 2, 1),
        sync(11, _GRANTED, SEMAPHORE, 0),
        sync(12, _SIGNAL, SEMAPHORE, 1),
    ]
    assert counts_of(rows, 1)[1:] == [
        ("QUEUE", 2),
        ("GIVE", 1),
        ("TAKE", 2),
        ("GIVE", 1),
        ("ASSIGN", 1),
        ("GIVE", 0),
    ]
