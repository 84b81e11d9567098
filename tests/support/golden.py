"""Small traces with times computed by hand."""

from __future__ import annotations

from tests.support.columns import Row, born, state, switch

GRANTED, DENIED, UNLOCK = 0, 1, 3
READY, NANOSLEEP, MUTEX, SEM = 2, 12, 13, 17
BUS, DISK, NET = 0x100, 0x200, 0x300


def sync(time: int, event: int, mutex: int, tid: int) -> Row:
    return Row(time, (8, event), (mutex, tid))


def activated(time: int, tid: int, number: int) -> list[Row]:
    return [Row(time, (9, 6), (tid, number)), state(time, READY, tid)]


def completed(time: int, tid: int, number: int) -> list[Row]:
    return [Row(time, (9, 7), (tid, number)), state(time, NANOSLEEP, tid)]


INVERSION = [
    *born(0, 1, "low"),
    *born(0, 2, "medium"),
    *born(0, 3, "high"),
    switch(0, 0, 1),
    sync(10, GRANTED, BUS, 1),
    *activated(20, 3, 1),
    switch(20, 1, 3),
    sync(25, DENIED, BUS, 1),
    state(25, MUTEX, 3),
    switch(26, 3, 1),
    switch(30, 1, 2),
    switch(70, 2, 1),
    sync(80, UNLOCK, BUS, 1),
    sync(80, GRANTED, BUS, 3),
    state(81, READY, 3),
    switch(83, 1, 3),
    sync(90, UNLOCK, BUS, 3),
    *completed(100, 3, 1),
    switch(101, 3, 0),
]
"""`low` owns the bus; `high` waits for the bus; meanwhile `medium` preempts `low`."""

CHAIN = [
    *(row for tid, name in enumerate("abcde", 1) for row in born(0, tid, name)),
    switch(0, 0, 4),
    sync(1, GRANTED, NET, 4),
    switch(2, 4, 3),
    sync(3, GRANTED, DISK, 3),
    sync(4, DENIED, NET, 4),
    state(4, MUTEX, 3),
    switch(4, 3, 2),
    sync(5, GRANTED, BUS, 2),
    sync(6, DENIED, DISK, 3),
    state(6, MUTEX, 2),
    switch(6, 2, 1),
    sync(8, DENIED, BUS, 2),
    state(8, MUTEX, 1),
    switch(8, 1, 4),
    switch(10, 4, 5),
    switch(40, 5, 4),
    sync(45, UNLOCK, NET, 4),
    sync(45, GRANTED, NET, 3),
    state(45, READY, 3),
    switch(45, 4, 3),
    sync(50, UNLOCK, DISK, 3),
    sync(50, GRANTED, DISK, 2),
    state(50, READY, 2),
    switch(50, 3, 2),
    sync(53, UNLOCK, BUS, 2),
    sync(53, GRANTED, BUS, 1),
    state(53, READY, 1),
    switch(53, 2, 1),
    state(60, SEM, 1),
]
"""`a` waits for `b`, `b` for `c`, and `c` for `d`, which `e` preempts."""

DEADLOCK = [
    *born(0, 1, "a"),
    *born(0, 2, "b"),
    switch(0, 0, 1),
    sync(1, GRANTED, BUS, 1),
    switch(2, 1, 2),
    sync(3, GRANTED, DISK, 2),
    sync(4, DENIED, BUS, 1),
    state(4, MUTEX, 2),
    switch(4, 2, 1),
    sync(10, DENIED, DISK, 2),
    state(10, MUTEX, 1),
    switch(10, 1, 0),
    Row(100),
]
"""`a` and `b` own a mutex each, and each waits for the mutex of the other."""

LATE = [
    *born(0, 1, "a"),
    *born(0, 2, "b"),
    *activated(0, 1, 1),
    switch(0, 0, 1),
    switch(10, 1, 2),
    Row(50, (9, 6), (1, 2)),
    Row(50, (9, 8), (1, 1)),
    switch(60, 2, 1),
    Row(70, (9, 7), (1, 1)),
    *completed(80, 1, 2),
    switch(81, 1, 2),
]
"""The first instance of `a` ends after the second activation of `a`."""

REPEATED = [
    *LATE[:-1],
    *(
        row
        for number in range(3, 7)
        for row in (
            switch(100 * number - 220, 1, 2),
            Row(100 * number - 200, (9, 6), (1, number)),
            state(100 * number - 200, 2, 1),
            switch(100 * number - 200, 2, 1),
            Row(100 * number - 190, (9, 7), (1, number)),
            state(100 * number - 190, 12, 1),
        )
    ),
]
"""Six instances of `a`, enough for a first specification."""
