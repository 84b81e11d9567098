/* Suspending threads, changing priorities, and deleting objects on which threads wait. */
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
    {
        "a thread ends another that is ready, sleeps, or is suspended",
        {{'A', 4, {SAY('1')}},
         {'B', 9, {SLEEP(1), SAY('1')}},
         {'C', 3, {SAY('1')}},
         {'D', 5, {SUSPEND(2), END(2), END(0), END(1), END(0), RESUME(2), SLEEP(3), SAY('1')}}},
        "Dz DD DD DD DD!s DZ!s Ds D.1",
    },
    {
        "or itself",
        {{'A', 5, {LOCK(0), END(0), SAY('1')}}, {'B', 4, {LOCK(0), UNLOCK(0)}}},
        "Al Bl Bu",
    },
    {
        "who waits for it goes on, and gets its mutexes",
        {{'A', 5, {LOCK(0), LOCK(1), WAIT(0)}},
         {'B', 4, {LOCK(0), SAY('1'), UNLOCK(0)}},
         {'C', 3, {JOIN(0)}},
         {'D', 2, {TRYLOCK(1), END(0), TRYLOCK(1), POST(0), TRYWAIT(0), UNLOCK(1)}}},
        "Al Al Dl!b Bl B.1 Bu Cj DD Dl Dp Dw Du",
    },
    {
        "its priority is inherited no longer, over a chain",
        {{'L', 1, {LOCK(0), WORK(3), PRIORITY, WORK(2), PRIORITY, UNLOCK(0)}},
         {'M', 4, {SLEEP(1), LOCK(1), LOCK(0), SAY('1')}},
         {'H', 7, {SLEEP(2), LOCK(1), PRIORITY, UNLOCK(1)}},
         {'C', 9, {SLEEP(4), END(1)}}},
        "Ll Ms Ml Hs Lk L=7 Cs CD Hl H=7 Hu Lk L=1 Lu",
    },
    {
        "an owner that inherits",
        {{'L', 1, {LOCK(0), WORK(9)}},
         {'H', 7, {SLEEP(1), LOCK(0), PRIORITY, UNLOCK(0)}},
         {'C', 9, {SLEEP(3), END(0)}}},
        "Ll Hs Cs CD Hl H=7 Hu",
    },
    {
        "it leaves the queues of conditions, semaphores, flags and joins",
        {{'A', 9, {LOCK(0), COND_WAIT(0, 0)}},
         {'B', 8, {WAIT_IN(0, 3)}},
         {'C', 7, {FLAGS(0, 1, KERNEL_FLAGS_CLEAR)}},
         {'D', 6, {JOIN(4)}},
         {'E',
          5,
          {END(0), SIGNAL(0), DELETE(MUTEX, 0), END(1), POST(0), TRYWAIT(0), END(2), SET(0, 1),
           SLEEP(4), FLAGS_IN(0, 1, KERNEL_FLAGS_ALL, 0), END(3)}}},
        "Al ED Eg Ex ED Ep Ew ED Ef Es EF1 ED",
    },
    {
        "a periodic one is not activated any more",
        {{'A', 9, {PERIOD(2), NEXT, NEXT, NEXT}}, {'B', 5, {SLEEP(3), END(0), SLEEP(3), SAY('1')}}},
        "Ac An0 Bs BD Bs B.1",
    },
    {
        "a receiver, and who sends to one that does not receive",
        {{'R', 9, {RECEIVE(0)}},
         {'S', 8, {SLEEP(1), SEND(0, 5)}},
         {'C', 5, {END(0), SLEEP(2), END(1), RECEIVE_IN(0, 0)}}},
        "CD Ss Cs CD Cr!b",
    },
    {
        "a server's clients go on",
        {{'S', 6, {RECEIVE(0), SLEEP(9)}}, {'C', 9, {SEND(0, 5)}}, {'B', 5, {END(0), SAY('1')}}},
        "Sr5 Cm!x BD B.1",
    },
    {
        "a client's server cannot answer it",
        {{'S', 6, {RECEIVE(0), PRIORITY, SLEEP(2), PRIORITY, REPLY(0, 0, 1)}},
         {'C', 9, {SEND(0, 5)}},
         {'B', 5, {END(1)}}},
        "Sr5 S=9 BD Ss S=6 Sa!s",
    },
};

void suite_thread(void)
{
    scenario_check_all(scenarios, sizeof scenarios / sizeof scenarios[0]);
}
