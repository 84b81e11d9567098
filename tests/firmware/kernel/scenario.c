#include "scenario.h"

#include <string.h>

#include "check.h"
#include "journal.h"

static kernel_mutex_t mutexes[SCENARIO_OBJECTS];
static kernel_sem_t sems[SCENARIO_OBJECTS];
static kernel_thread_t threads[SCENARIO_ACTORS];
static uint32_t numbers[SCENARIO_ACTORS];
static _Alignas(8) uint8_t stacks[SCENARIO_ACTORS][1024];
static const scenario_t *running;

static const char op_letters[] = {
    [OP_LOCK] = 'l',    [OP_TRYLOCK] = 'l', [OP_UNLOCK] = 'u', [OP_WAIT] = 'w',
    [OP_TRYWAIT] = 'w', [OP_POST] = 'p',    [OP_SLEEP] = 's',  [OP_WORK] = 'k',
    [OP_YIELD] = 'y',   [OP_JOIN] = 'j',    [OP_PERIOD] = 'c', [OP_NEXT] = 'n',
};

static int execute(const step_t *step)
{
    switch (step->op) {
    case OP_LOCK:
        return kernel_mutex_lock(&mutexes[step->argument], step->ticks);
    case OP_TRYLOCK:
        return kernel_mutex_trylock(&mutexes[step->argument]);
    case OP_UNLOCK:
        return kernel_mutex_unlock(&mutexes[step->argument]);
    case OP_WAIT:
        return kernel_sem_wait(&sems[step->argument], step->ticks);
    case OP_TRYWAIT:
        return kernel_sem_trywait(&sems[step->argument]);
    case OP_POST:
        return kernel_sem_post(&sems[step->argument]);
    case OP_SLEEP:
        return kernel_sleep(step->argument);
    case OP_WORK:
        kernel_work_us(step->argument * 1000u);
        return KERNEL_OK;
    case OP_YIELD:
        kernel_yield();
        return KERNEL_OK;
    case OP_JOIN:
        return kernel_thread_join(&threads[step->argument], step->ticks);
    case OP_PERIOD:
        return kernel_thread_set_period(kernel_thread_self(), step->argument);
    case OP_NEXT:
        return kernel_wait_period();
    default:
        return KERNEL_ERROR_ARGUMENT;
    }
}

static char reason(int result)
{
    static const char letters[] = "ast"
                                  "bfod";
    return letters[-result - 1];
}

static void note(char actor, const step_t *step, int result)
{
    journal_begin_word(actor);
    if (step->op == OP_SAY) {
        journal_add('.');
        journal_add((char)step->argument);
    } else if (step->op == OP_PRIORITY) {
        kernel_thread_info_t info;
        (void)kernel_thread_by_index(kernel_thread_number(kernel_thread_self()), &info);
        journal_add('=');
        journal_add_number(info.priority);
    } else {
        journal_add(op_letters[step->op]);
        if (step->op == OP_NEXT && result >= 0) {
            journal_add_number((uint32_t)result);
        }
    }
    if (result < 0) {
        journal_add('!');
        journal_add(reason(result));
    }
}

static void act(void *argument)
{
    const actor_t *actor = argument;
    for (const step_t *step = actor->steps; step->op != OP_END; step++) {
        bool is_call = step->op != OP_SAY && step->op != OP_PRIORITY;
        int result = is_call ? execute(step) : KERNEL_OK;
        note(actor->letter, step, result);
    }
}

void scenario_run(const scenario_t *scenario)
{
    running = scenario;
    memset(mutexes, 0, sizeof mutexes);
    for (size_t i = 0; i < SCENARIO_OBJECTS; i++) {
        sems[i] = (kernel_sem_t)KERNEL_SEM_INIT(0, 2);
    }
    (void)kernel_sleep(1); /* begin right behind a tick */
    journal_clear();
    for (size_t i = 0; i < SCENARIO_ACTORS && scenario->actors[i].letter != '\0'; i++) {
        const actor_t *actor = &scenario->actors[i];
        check_equal("create",
                    kernel_thread_create(&threads[i], scenario->name, act, (void *)actor,
                                         actor->priority, stacks[i], sizeof stacks[i]),
                    KERNEL_OK);
        numbers[i] = kernel_thread_number(&threads[i]);
    }
    for (size_t i = 0; i < SCENARIO_ACTORS && scenario->actors[i].letter != '\0'; i++) {
        check_equal("join", kernel_thread_join(&threads[i], 1000), KERNEL_OK);
    }
}

void scenario_check_all(const scenario_t *scenarios, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_begin(scenarios[i].name);
        scenario_run(&scenarios[i]);
        check_text("journal", journal_text(), scenarios[i].journal);
        for (size_t m = 0; m < SCENARIO_OBJECTS; m++) {
            check_equal("a mutex has no owner", mutexes[m].owner == NULL, true);
        }
    }
}

char scenario_letter(uint32_t tid)
{
    for (size_t i = 0; i < SCENARIO_ACTORS && running->actors[i].letter != '\0'; i++) {
        if (numbers[i] == tid) {
            return running->actors[i].letter;
        }
    }
    return tid == 0u ? 'I' : '-';
}

char scenario_object(uint32_t id)
{
    for (uint32_t i = 0; i < SCENARIO_OBJECTS; i++) {
        if (id == (uint32_t)(uintptr_t)&mutexes[i] || id == (uint32_t)(uintptr_t)&sems[i]) {
            return (char)('0' + i);
        }
    }
    return '-';
}
