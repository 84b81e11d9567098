/* Semaphores: counting, waiting, time limits. They begin at 0 and have a limit of 2. */
#include "check.h"
#include "scenario.h"

static const scenario_t scenarios[] = {
    {
        "permits are counted up to the limit",
        {{'A', 5, {TRYWAIT(0), POST(0), POST(0), POST(0), WAIT(0), TRYWAIT(0), TRYWAIT(0)}}},
        "Aw!b Ap Ap Ap!f Aw Aw Aw!b",
    },
    {
        "a permit goes to who waits, at once",
        {{'A', 5, {POST(0), TRYWAIT(0), POST(0)}}, {'H', 9, {WAIT(0), SAY('1'), WAIT(0)}}},
        "Hw H.1 Ap Aw!b Hw Ap",
    },
    {
        "the most urgent waiter is first, of equals the first that came",
        {{'A', 1, {POST(0), POST(0), POST(0)}},
         {'B', 5, {WAIT(0)}},
         {'C', 5, {WAIT(0)}},
         {'D', 6, {WAIT(0)}}},
        "Dw Ap Bw Ap Cw Ap",
    },
    {
        "waiting ends with its time limit and leaves no trace in the queue",
        {{'A', 9, {WAIT_IN(0, 2), SAY('1'), WAIT_IN(0, 0)}},
         {'B', 5, {WORK(4), POST(0), TRYWAIT(0)}}},
        "Aw!t A.1 Aw!b Bk Bp Bw",
    },
    {
        "a permit in time ends the time limit",
        {{'A', 9, {WAIT_IN(0, 3), SLEEP(5), SAY('1')}}, {'B', 5, {WORK(1), POST(0)}}},
        "Bk Aw Bp As A.1",
    },
};

void suite_sem(void)
{
    scenario_check_all(scenarios, sizeof scenarios / sizeof scenarios[0]);
}
