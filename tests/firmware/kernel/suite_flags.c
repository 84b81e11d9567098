/* Event flags: any, all, clearing; and software timers, which post semaphores. */
#include "check.h"
#include "scenario.h"

#define ANY   KERNEL_FLAGS_ANY
#define ALL   KERNEL_FLAGS_ALL
#define CLEAN KERNEL_FLAGS_CLEAR

static const scenario_t scenarios[] = {
    {
        "flags stay set until they are cleared",
        {{'A',
          5,
          {SET(0, 6), FLAGS(0, 2, ANY), FLAGS(0, 12, ANY), FLAGS_IN(0, 12, ALL, 0), CLEAR(0, 4),
           FLAGS_IN(0, 4, ANY, 0), FLAGS(0, 3, ANY | CLEAN), FLAGS_IN(0, 2, ANY, 1)}}},
        "Af AF2 AF4 AF!b Ae AF!b AF2 AF!t",
    },
    {
        "all of them, set one by one",
        {{'A', 9, {FLAGS(0, 7, ALL | CLEAN), FLAGS_IN(0, 7, ANY, 0)}},
         {'B', 5, {SET(0, 1), SET(0, 4), SET(0, 2), SAY('1')}}},
        "Bf Bf AF7 AF!b Bf B.1",
    },
    {
        "who clears takes flags from the less urgent; who does not leaves them",
        {{'A', 9, {FLAGS(0, 1, ANY)}},
         {'B', 8, {FLAGS(0, 3, ANY | CLEAN)}},
         {'C', 7, {FLAGS_IN(0, 1, ANY, 3)}},
         {'D', 6, {FLAGS(0, 2, ANY)}},
         {'E', 5, {SET(0, 1), SAY('1'), SET(0, 2)}}},
        "AF1 BF1 Ef E.1 DF2 Ef CF!t",
    },
    {
        "no flags, or one too many",
        {{'A', 5, {FLAGS(0, 0, ANY), SET(0, 0x80000000u), FLAGS(0, 1, 4), CLEAR(0, 0x80000000u)}}},
        "AF!a Af!a AF!a Ae!a",
    },
    {
        "deleted",
        {{'A', 9, {FLAGS(0, 2, ANY)}},
         {'B', 8, {FLAGS(0, 4, ALL)}},
         {'C', 5, {SET(0, 1), DELETE(FLAG_SET, 0), FLAGS_IN(0, 1, ANY, 0)}}},
        "Cf AF!x BF!x Cx CF!b",
    },
    {
        "a timer once, and again",
        {{'A', 5, {TIMER(0, 2, 0), WAIT(0), WAIT_IN(0, 5), TIMER(0, 1, 0), WAIT(0)}},
         {'B', 1, {SLEEP(1), SAY('1'), SLEEP(3), SAY('2')}}},
        "At Bs B.1 Aw Bs B.2 Aw!t At Aw",
    },
    {
        "a periodic timer without drift, until it is stopped",
        {{'A', 5, {TIMER(0, 1, 3), WAIT(0), WAIT(0), WAIT(0), STOP(0), WAIT_IN(0, 9)}},
         {'B', 1, {SLEEP(1), SAY('1'), SLEEP(3), SAY('2'), SLEEP(3), SAY('3')}}},
        "At Aw Bs B.1 Aw Bs B.2 Aw At Bs B.3 Aw!t",
    },
    {
        "starting anew counts from now; a deleted timer is silent",
        {{'A',
          5,
          {TIMER(0, 3, 0), SLEEP(2), TIMER(0, 3, 0), WAIT_IN(0, 2), WAIT(0), TIMER(0, 2, 2),
           DELETE(TIMER_OF, 0), DELETE(TIMER_OF, 0), WAIT_IN(0, 5)}}},
        "At As At Aw!t Aw At Ax Ax!s Aw!t",
    },
};

void suite_flags(void)
{
    scenario_check_all(scenarios, sizeof scenarios / sizeof scenarios[0]);
}
