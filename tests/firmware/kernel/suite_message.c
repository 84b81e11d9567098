/* Messages and pulses: rendezvous, order, inheritance, and all ends without a reply. */
#include "check.h"
#include "scenario.h"

static const scenario_t scenarios[] = {
    {
        "the receiver waits",
        {{'S', 9, {RECEIVE(0), SAY('1'), REPLY(0, 7, 3)}}, {'C', 5, {SEND(0, 7)}}},
        "Sr7 S.1 Sa Cm3",
    },
    {
        "the sender waits",
        {{'S', 5, {RECEIVE(0), SAY('1'), REPLY(0, 7, 0)}}, {'C', 9, {SEND(0, 7)}}},
        "Sr7 S.1 Cm0 Sa",
    },
    {
        "the most urgent sender is first; replies in any order; an error as reply",
        {{'S', 1, {RECEIVE(0), RECEIVE(0), REPLY(1, 8, 0), REPLY(0, 0, KERNEL_ERROR_FULL)}},
         {'A', 5, {SEND(0, 8)}},
         {'B', 6, {SEND(0, 9)}}},
        "Sr9 Sr8 Sa Bm!f Am0 Sa",
    },
    {
        "a message is answered once, by its receiver, while it waits",
        {{'S',
          5,
          {RECEIVE(0), REPLY(0, 7, 0), REPLY(0, 7, 0), RECEIVE(0), SLEEP(3), REPLY(1, 0, 0)}},
         {'C', 4, {SEND(0, 7), SEND_IN(0, 8, 2), SEND_IN(0, 9, 0)}},
         {'T', 9, {SLEEP(1), REPLY(1, 0, 0)}}},
        "Sr7 Sa Sa!s Cm0 Sr8 Ts Ta!s Cm!t Cm!b Ss Sa!s",
    },
    {
        "an old number does not answer a new message",
        {{'S', 9, {RECEIVE(0), SLEEP(3), RECEIVE(0), REPLY(0, 0, 1), REPLY(1, 0, 2)}},
         {'C', 5, {SEND_IN(0, 1, 1), SEND(0, 2)}}},
        "Sr1 Cm!t Ss Sr2 Sa!s Sa Cm2",
    },
    {
        "the server has its clients' priority until it has answered",
        {{'S',
          2,
          {RECEIVE(0), PRIORITY, RECEIVE(0), PRIORITY, REPLY(1, 0, 0), PRIORITY, REPLY(0, 0, 0),
           PRIORITY}},
         {'A', 5, {SEND(0, 1)}},
         {'B', 9, {SLEEP(1), SEND(0, 2)}},
         {'M', 7, {SLEEP(1), WORK(3), SAY('1')}}},
        "Sr1 S=5 Bs Sr2 S=9 Bm0 Ms Mk M.1 Sa S=5 Am0 Sa S=2",
    },
    {
        "inheritance over messages and mutexes, and back when the client gives up",
        {{'L', 1, {LOCK(0), SLEEP(2), WORK(1), PRIORITY, WORK(4), PRIORITY, UNLOCK(0)}},
         {'S', 2, {RECEIVE(0), LOCK(0), PRIORITY, UNLOCK(0), REPLY(0, 0, 0)}},
         {'C', 9, {SLEEP(1), SEND_IN(0, 1, 4)}}},
        "Ll Cs Sr1 Ls Lk L=9 Cm!t Lk L=2 Sl S=2 Su Sa!s Lu",
    },
    {
        "inheritance goes along a chain of three servers, and back",
        {{'X', 1, {RECEIVE(2), PRIORITY, WORK(1), REPLY(2, 3, 0), PRIORITY}},
         {'Y', 2, {RECEIVE(1), SEND(2, 3), PRIORITY, REPLY(1, 2, 0), PRIORITY}},
         {'Z', 3, {RECEIVE(0), SEND(1, 2), PRIORITY, REPLY(0, 1, 0), PRIORITY}},
         {'C', 9, {SEND(0, 1)}}},
        "Zr1 Yr2 Xr3 X=9 Xk Ym0 Y=9 Zm0 Z=9 Cm0 Za Z=3 Ya Y=2 Xa X=1",
    },
    {
        "a server does not wait for a mutex of its client",
        {{'S', 5, {RECEIVE(0), LOCK(0), REPLY(0, 0, 0)}},
         {'C', 4, {LOCK(0), SEND(0, 1), UNLOCK(0)}}},
        "Cl Sr1 Sl!d Sa Cm0 Cu",
    },
    {
        "pulses: kept, in order, before messages, and not without limit",
        {{'S',
          5,
          {RECEIVE(0), RECEIVE(0), RECEIVE_IN(0, 0), RECEIVE(0), REPLY(0, 0, 0), RECEIVE_IN(0, 0),
           RECEIVE_IN(0, 2)}},
         {'C', 9, {PULSE(0, 1), PULSE(0, 2), SEND_IN(0, 7, 9)}},
         {'P', 4, {SLEEP(1), PULSE(0, 3)}}},
        "Cq Cq Sr1 Sr2 Sr7 Ps Sr3 Cm0 Sa Sr!b Pq Sr!t",
    },
    {
        "a pulse to who waits",
        {{'S', 9, {RECEIVE(0), SAY('1')}}, {'P', 4, {PULSE(0, 6)}}},
        "Sr6 S.1 Pq",
    },
    {
        "a channel holds so many pulses",
        {{'P',
          4,
          {PULSE(0, 1), PULSE(0, 1), PULSE(0, 1), PULSE(0, 1), PULSE(0, 1), PULSE(0, 1),
           PULSE(0, 1), PULSE(0, 1), PULSE(0, 1), DELETE(CHANNEL, 0), RECEIVE_IN(0, 0)}}},
        "Pq Pq Pq Pq Pq Pq Pq Pq Pq!f Px Pr!b",
    },
    {
        "deleting a channel ends all waits there; what was received is answered",
        {{'A', 9, {SEND(0, 1)}},
         {'S', 5, {RECEIVE(0), DELETE(CHANNEL, 0), DELETE(CHANNEL, 1), REPLY(0, 0, 4)}},
         {'B', 7, {SEND(0, 2)}},
         {'C', 8, {RECEIVE(1)}}},
        "Sr1 Sx Sx Am4 Cr!x Bm!x Sa",
    },
    {
        "a server that ends leaves its clients an error",
        {{'A', 9, {SEND(0, 1)}}, {'B', 8, {SEND(0, 2)}}, {'S', 5, {RECEIVE(0), RECEIVE(0)}}},
        "Sr1 Sr2 Am!x Bm!x",
    },
};

void suite_message(void)
{
    scenario_check_all(scenarios, sizeof scenarios / sizeof scenarios[0]);
}
