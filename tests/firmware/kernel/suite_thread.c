/* Suspending, changing priorities, and deleting what threads wait for. */
#include "check.h"
#include "scenario.h"

static const scenario_t scenarios[] = {
    {
        "a suspended thread does not run until it is resumed",
        {{'A', 4, {SAY('1')}},
         {'B',
          5,
          {SUSPEND(0), SUSPEND(0), WORK(1), SLEEP(2), SAY('1'), RESUME(0), RESUME(0), SLEEP(1),
           SAY('2')}}},
        "Bz Bz!s Bk Bs B.1 BZ BZ!s A.1 Bs B.2",
    },
    {
        "oneself",
        {{'A', 9, {SUSPEND(0), SAY('1')}}, {'B', 5, {SAY('1'), RESUME(0), SAY('2')}}},
        "B.1 Az A.1 BZ B.2",
    },
    {
        "a thread that waits is stopped when the wait is over",
        {{'A', 9, {SLEEP(1), SAY('1'), WAIT(0), SAY('2'), WAIT_IN(0, 2)}},
         {'B',
          5,
          {SUSPEND(0), SLEEP(3), RESUME(0), SUSPEND(0), POST(0), SAY('1'), RESUME(0), SUSPEND(0),
           WORK(4), RESUME(0), SAY('2')}}},
        "Bz Bs As A.1 BZ Bz Bp B.1 Aw A.2 BZ Bz Bk Aw!t BZ B.2",
    },
    {
        "it may be resumed before",
        {{'A', 9, {WAIT(0), SAY('1')}}, {'B', 5, {SUSPEND(0), RESUME(0), POST(0)}}},
        "Bz BZ Aw A.1 Bp",
    },
    {
        "a suspended owner inherits, and keeps its mutex",
        {{'A', 4, {LOCK(0), SLEEP(1), PRIORITY, UNLOCK(0)}},
         {'B', 9, {SLEEP(1), SUSPEND(0), LOCK_IN(0, 2), SLEEP(1), RESUME(0), LOCK(0), UNLOCK(0)}}},
        "Al Bs Bz Bl!t Bs BZ As A=9 Bl Bu Au",
    },
    {
        "only the living",
        {{'A', 5, {RESUME(0), RAISE(0, 32)}}, {'B', 4, {SUSPEND(0), RESUME(0), RAISE(0, 3)}}},
        "AZ!s Ai!a Bz!s BZ!s Bi!s",
    },
    {
        "the own priority up and down",
        {{'A', 5, {RAISE(0, 9), PRIORITY, SLEEP(1), SAY('1'), RAISE(0, 3), PRIORITY}},
         {'B', 7, {SLEEP(1), SAY('1'), SLEEP(1)}}},
        "Ai A=9 As A.1 Bs B.1 Ai A=3 Bs",
    },
    {
        "that of a ready thread decides at once",
        {{'A', 5, {SAY('1')}}, {'B', 6, {RAISE(0, 8), SAY('1')}}},
        "A.1 Bi B.1",
    },
    {
        "that of a waiter moves it in its queue and is inherited",
        {{'L', 1, {LOCK(0), WORK(4), PRIORITY, WORK(2), PRIORITY, UNLOCK(0)}},
         {'A', 5, {SLEEP(1), LOCK(0), UNLOCK(0)}},
         {'B', 6, {SLEEP(2), LOCK(0), UNLOCK(0)}},
         {'C', 9, {SLEEP(3), RAISE(1, 8), SLEEP(2), RAISE(1, 2)}}},
        "Ll As Bs Cs Ci Lk L=8 Cs Ci Lk L=6 Bl Bu Al Au Lu",
    },
    {
        "below what it inherits it makes no difference yet",
        {{'L', 4, {LOCK(0), WORK(2), PRIORITY, RAISE(0, 2), PRIORITY, UNLOCK(0), PRIORITY}},
         {'H', 9, {SLEEP(1), LOCK(0), UNLOCK(0)}}},
        "Ll Hs Lk L=9 Li L=9 Hl Hu Lu L=2",
    },
    {
        "deleted semaphore and mutex",
        {{'A', 9, {WAIT(0), LOCK(0)}},
         {'B', 8, {WAIT(0)}},
         {'C',
          5,
          {LOCK(0), DELETE(SEM, 0), POST(0), TRYWAIT(0), PRIORITY, DELETE(MUTEX, 0), PRIORITY,
           UNLOCK(0)}}},
        "Cl Aw!x Cx Cp Cw C=9 Al!x Bw!x Cx C=5 Cu!o",
    },
    {
        "only its owner deletes a mutex",
        {{'A', 5, {LOCK(0), SLEEP(2), DELETE(MUTEX, 0)}},
         {'B', 9, {SLEEP(1), DELETE(MUTEX, 0), DELETE(MUTEX, 1)}}},
        "Al Bs Bx!o Bx As Ax",
    },
};

void suite_thread(void)
{
    scenario_check_all(scenarios, sizeof scenarios / sizeof scenarios[0]);
}
