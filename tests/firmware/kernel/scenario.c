#include "scenario.h"

#include "check.h"
#include "journal.h"
#include "operations.h"

static kernel_thread_t threads[SCENARIO_ACTORS];
static uint32_t numbers[SCENARIO_ACTORS];
static _Alignas(8) uint8_t stacks[SCENARIO_ACTORS][1024];
static const scenario_t *running;

static char reason(int result)
{
    static const char letters[] = "ast"
                                  "bfodx";
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
        journal_add(operation_of(step->op)->letter);
        if (operation_of(step->op)->tells_result && result >= 0) {
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
        int result = is_call ? operation_of(step->op)->execute(step) : KERNEL_OK;
        note(actor->letter, step, result);
    }
}

void scenario_run(const scenario_t *scenario)
{
    running = scenario;
    operations_clear();
    (void)kernel_sleep(1); /* start right after a tick */
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
    operations_stop_timers();
}

void scenario_check_all(const scenario_t *scenarios, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_begin(scenarios[i].name);
        scenario_run(&scenarios[i]);
        check_text("journal", journal_text(), scenarios[i].journal);
        check_equal("no mutex has an owner", operations_owned_mutexes(), 0);
    }
}

kernel_thread_t *scenario_thread(uint32_t actor)
{
    return &threads[actor];
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
