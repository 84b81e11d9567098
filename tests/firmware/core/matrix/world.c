#include "world.h"

#include <stddef.h>

#include "tickertape/port.h"
#include "truth.h"

#define DEPTH 2u

static uint64_t state;
static uint32_t locks[CPUS];
static uint32_t depth;
static uint32_t cpu;
static uint32_t now = 0xfffff000u; /* shortly before the first wrap */
static bool migrates;
static void (*interrupt)(void);

void world_seed(uint64_t seed)
{
    state = seed * 2862933555777941757u + 3037000493u;
}

uint32_t world_below(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % limit;
}

void world_interrupts(void (*function)(void))
{
    interrupt = function;
}

void world_migrates(bool value)
{
    migrates = value;
}

uint32_t world_depth(void)
{
    return depth;
}

uint32_t world_cpu(void)
{
    return cpu;
}

void world_move_to(uint32_t to)
{
    EXPECT(locks[cpu] == 0u);
    cpu = to;
}

/* Let something happen on this CPU, or on another one that holds no lock. */
static void happen(void)
{
    if (interrupt == NULL || depth == DEPTH || !world_once_in(16)) {
        return;
    }
    uint32_t here = cpu;
    bool migrated = migrates;
    uint32_t other = world_below(CPUS);
    depth++;
    migrates = false;
    cpu = locks[other] == 0u ? other : here;
    interrupt();
    EXPECT(locks[cpu] == 0u);
    cpu = here;
    migrates = migrated;
    depth--;
}

static void pass(void)
{
    happen();
    if (migrates && world_once_in(4)) {
        cpu = world_below(CPUS);
    }
}

tt_port_key_t tt_port_lock(void)
{
    if (locks[cpu] == 0u) {
        pass();
    }
    return locks[cpu]++;
}

void tt_port_unlock(tt_port_key_t key)
{
    EXPECT(locks[cpu] == key + 1u);
    locks[cpu] = key;
    if (key == 0u) {
        pass();
    }
}

uint32_t tt_port_ticks(void)
{
    now += world_below(3);
    return now;
}

uint32_t tt_port_exception(void)
{
    return depth == 0u ? 0u : 15u + depth;
}

uint32_t tt_port_cpu(void)
{
    return cpu;
}

void tt_port_notify_drain(void)
{
}

void tt_port_spin(void)
{
    EXPECT(false); /* no other code would release the lock */
}
