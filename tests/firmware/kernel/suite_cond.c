/* Condition variables: releasing and relocking the mutex. */
#include "check.h"
#include "scenario.h"

static const scenario_t scenarios[] = {
    {
        "waiting needs the mutex, and a time",
        {{'A', 5, {COND_WAIT(0, 0), LOCK(0), COND_WAIT_IN(0, 0, 0), UNLOCK(0)}}},
        "Av!o Al Av!b Au",
    },
    {
        "a signal is for who waits: it is not kept",
        {{'A', 5, {SIGNAL(0), LOCK(0), COND_WAIT_IN(0, 0, 2), UNLOCK(0)}}},
        "Ag Al Av!t Au",
    },
    {
        "the woken thread goes on when it has the mutex",
        {{'A', 9, {LOCK(0), COND_WAIT(0, 0), UNLOCK(0)}},
         {'B', 5, {LOCK(0), SIGNAL(0), SAY('1'), PRIORITY, UNLOCK(0), PRIORITY}}},
        "Al Bl Bg B.1 B=9 Av Au Bu B=5",
    },
    {
        "without the mutex a signal lets the waiter go on at once",
        {{'A', 9, {LOCK(0), COND_WAIT(0, 0), UNLOCK(0)}}, {'B', 5, {SIGNAL(0), SAY('1')}}},
        "Al Av Au Bg B.1",
    },
    {
        "one signal wakes the most urgent; a broadcast wakes all, one after the other",
        {{'A', 6, {LOCK(0), COND_WAIT(0, 0), UNLOCK(0)}},
         {'B', 8, {LOCK(0), COND_WAIT(0, 0), UNLOCK(0)}},
         {'C', 7, {LOCK(0), COND_WAIT(0, 0), UNLOCK(0)}},
         {'D', 2, {SIGNAL(0), SAY('1'), LOCK(0), BROADCAST(0), SAY('2'), UNLOCK(0)}}},
        "Bl Cl Al Bv Bu Dg D.1 Dl DG D.2 Cv Cu Av Au Du",
    },
    {
        "the time limit is for the signal, the mutex takes as long as it takes",
        {{'A', 9, {LOCK(0), COND_WAIT_IN(0, 0, 2), UNLOCK(0)}},
         {'B', 5, {LOCK(0), WORK(5), SAY('1'), UNLOCK(0)}}},
        "Al Bl Bk B.1 Av!t Au Bu",
    },
    {
        "a deleted condition ends the wait with the mutex",
        {{'A', 9, {LOCK(0), COND_WAIT(0, 0), UNLOCK(0)}},
         {'B', 8, {LOCK(0), COND_WAIT(0, 0), UNLOCK(0)}},
         {'C', 5, {LOCK(0), DELETE(COND, 0), DELETE(MUTEX, 1), UNLOCK(0)}}},
        "Al Bl Cl Cx Cx Av!x Au Bv!x Bu Cu",
    },
    {
        "a mutex that a waiter will lock again is not deleted; while it lines up it is",
        {{'A', 9, {LOCK(0), COND_WAIT(0, 0), UNLOCK(0)}},
         {'B', 5, {LOCK(0), DELETE(MUTEX, 0), SIGNAL(0), DELETE(MUTEX, 0), UNLOCK(0)}}},
        "Al Bl Bx!b Bg Av!x Au!o Bx Bu!o",
    },
    {
        "queueing after a thread that waits for the woken one is refused",
        {{'A', 9, {LOCK(1), LOCK(0), COND_WAIT(0, 0), UNLOCK(0), UNLOCK(1)}},
         {'B', 5, {LOCK(0), LOCK(1), UNLOCK(1), UNLOCK(0)}},
         {'C', 4, {SIGNAL(0)}}},
        "Al Al Bl Av!d Au!o Au Bl Bu Bu Cg",
    },
};

void suite_cond(void)
{
    scenario_check_all(scenarios, sizeof scenarios / sizeof scenarios[0]);
}
