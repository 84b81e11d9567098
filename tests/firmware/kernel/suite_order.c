/* Scheduling order: priorities, FIFO within a priority, yield, join. */
#include "check.h"
#include "scenario.h"

static const scenario_t scenarios[] = {
    {
        "the most urgent runs first",
        {{'A', 1, {SAY('1'), SAY('2')}}, {'B', 3, {SAY('1'), SAY('2')}}, {'C', 2, {SAY('1')}}},
        "B.1 B.2 C.1 A.1 A.2",
    },
    {
        "equals run one after the other, not in turns",
        {{'A', 5, {WORK(3), SAY('1')}}, {'B', 5, {SAY('1')}}, {'C', 5, {SAY('1')}}},
        "Ak A.1 B.1 C.1",
    },
    {
        "yielding goes after equals",
        {{'A', 5, {SAY('1'), YIELD, SAY('2')}}, {'B', 5, {SAY('1'), YIELD, SAY('2')}}},
        "A.1 B.1 Ay A.2 By B.2",
    },
    {
        "yielding does not help the less urgent",
        {{'A', 5, {YIELD, SAY('1')}}, {'B', 4, {SAY('1')}}},
        "Ay A.1 B.1",
    },
    {
        "a preempted thread goes on before its equals",
        {{'A', 5, {WORK(4), SAY('1')}}, {'B', 5, {SAY('1')}}, {'H', 9, {SLEEP(2), SAY('1')}}},
        "Hs H.1 Ak A.1 B.1",
    },
    {
        "a woken thread goes after its equals",
        {{'A', 5, {SLEEP(2), SAY('1')}}, {'B', 5, {WORK(4), YIELD, SAY('1')}}},
        "Bk As A.1 By B.1",
    },
    {
        "joining waits for the end",
        {{'A', 5, {JOIN(1), SAY('1')}}, {'B', 3, {WORK(1), SAY('1')}}},
        "Bk B.1 Aj A.1",
    },
    {
        "several threads join one; a time limit; a look; oneself",
        {{'A', 5, {JOIN(3)}},
         {'B', 6, {JOIN_IN(3, 2), JOIN_IN(3, 0), JOIN(3)}},
         {'C', 7, {JOIN(2), JOIN(3)}},
         {'D', 1, {WORK(5), SAY('1')}}},
        "Cj!d Bj!t Bj!b Dk D.1 Cj Bj Aj",
    },
};

void suite_order(void)
{
    scenario_check_all(scenarios, sizeof scenarios / sizeof scenarios[0]);
}
