/* Mutexes: hand-over, priority inheritance and its end. */
#include "check.h"
#include "scenario.h"

static const scenario_t scenarios[] = {
    {
        "locking and unlocking; only the owner unlocks; not recursive",
        {{'A', 5, {LOCK(0), LOCK(0), TRYLOCK(0), UNLOCK(0), UNLOCK(0)}}},
        "Al Al!d Al!b Au Au!o",
    },
    {
        "the owner inherits and gives back; the middle one waits",
        {{'L', 5, {LOCK(0), WORK(6), PRIORITY, UNLOCK(0), PRIORITY}},
         {'M', 10, {SLEEP(3), WORK(3), SAY('1')}},
         {'H', 20, {SLEEP(2), LOCK(0), UNLOCK(0)}}},
        "Ll Hs Lk L=20 Hl Hu Ms Mk M.1 Lu L=5",
    },
    {
        "inheritance goes along a chain of three mutexes",
        {{'A', 2, {LOCK(0), WORK(9), PRIORITY, UNLOCK(0), PRIORITY}},
         {'B', 4, {SLEEP(1), LOCK(1), LOCK(0), PRIORITY, UNLOCK(0), UNLOCK(1), PRIORITY}},
         {'C', 6, {SLEEP(2), LOCK(2), LOCK(1), PRIORITY, UNLOCK(1), UNLOCK(2), PRIORITY}},
         {'D', 9, {SLEEP(3), LOCK(2), PRIORITY, UNLOCK(2)}}},
        "Al Bs Bl Cs Cl Ds Ak A=9 Bl B=9 Bu Cl C=9 Cu Dl D=9 Du Cu C=6 Bu B=4 Au A=2",
    },
    {
        "a waiter that gives up takes its priority along",
        {{'L', 5, {LOCK(0), WORK(2), PRIORITY, WORK(4), PRIORITY, UNLOCK(0)}},
         {'H', 20, {SLEEP(1), LOCK_IN(0, 3), SAY('1')}}},
        "Ll Hs Lk L=20 Hl!t H.1 Lk L=5 Lu",
    },
    {
        "giving up is felt along the chain",
        {{'A', 2, {LOCK(0), WORK(3), PRIORITY, WORK(5), PRIORITY, UNLOCK(0)}},
         {'B', 4, {SLEEP(1), LOCK(1), LOCK(0), UNLOCK(0), UNLOCK(1)}},
         {'C', 9, {SLEEP(2), LOCK_IN(1, 4)}}},
        "Al Bs Bl Cs Ak A=9 Cl!t Ak A=4 Bl Bu Bu Au",
    },
    {
        "two mutexes: each is given back with its own waiter",
        {{'L', 1, {LOCK(0), LOCK(1), WORK(5), PRIORITY, UNLOCK(1), PRIORITY, UNLOCK(0), PRIORITY}},
         {'M', 5, {SLEEP(1), LOCK(0), UNLOCK(0)}},
         {'H', 9, {SLEEP(2), LOCK(1), UNLOCK(1)}}},
        "Ll Ll Ms Hs Lk L=9 Hl Hu Lu L=5 Ml Mu Lu L=1",
    },
    {
        "the most urgent waiter is next, of equals the first",
        {{'L', 1, {LOCK(0), SLEEP(4), UNLOCK(0)}},
         {'A', 5, {SLEEP(1), LOCK(0), UNLOCK(0)}},
         {'B', 5, {SLEEP(2), LOCK(0), UNLOCK(0)}},
         {'C', 7, {SLEEP(3), LOCK(0), UNLOCK(0)}}},
        "Ll As Bs Cs Ls Cl Cu Al Au Bl Bu Lu",
    },
    {
        "a waiter that inherits moves up in its queue",
        {{'L', 1, {LOCK(0), WORK(8), UNLOCK(0)}},
         {'A', 5, {SLEEP(1), LOCK(1), LOCK(0), UNLOCK(0), UNLOCK(1)}},
         {'B', 6, {SLEEP(2), LOCK(0), UNLOCK(0)}},
         {'H', 9, {SLEEP(3), LOCK(1), UNLOCK(1)}}},
        "Ll As Al Bs Hs Lk Al Au Hl Hu Bl Bu Au Lu",
    },
    {
        "waiting in a circle is refused",
        {{'A', 5, {LOCK(0), SLEEP(2), LOCK(1), UNLOCK(0)}},
         {'B', 6, {SLEEP(1), LOCK(1), LOCK(2), SLEEP(3), LOCK(0), UNLOCK(2), UNLOCK(1)}},
         {'C', 7, {SLEEP(3), LOCK(2), UNLOCK(2), LOCK_IN(0, 0)}}},
        "Al Bs Bl Bl As Cs Bs Bl!d Cl Cu Cl!b Bu Bu Al Au",
    },
    {
        "a thread that ends unlocks what it owns",
        {{'A', 5, {LOCK(0), LOCK(1), WORK(3)}},
         {'B', 9, {SLEEP(1), LOCK(0), LOCK(1), UNLOCK(0), UNLOCK(1)}}},
        "Al Al Bs Ak Bl Bl Bu Bu",
    },
    {
        "looking does not wait and does not inherit",
        {{'L', 1, {LOCK(0), WORK(3), PRIORITY, UNLOCK(0)}},
         {'H', 9, {SLEEP(1), TRYLOCK(0), SLEEP(3), TRYLOCK(0), UNLOCK(0)}}},
        "Ll Hs Hl!b Lk L=1 Lu Hs Hl Hu",
    },
};

void suite_mutex(void)
{
    scenario_check_all(scenarios, sizeof scenarios / sizeof scenarios[0]);
}
