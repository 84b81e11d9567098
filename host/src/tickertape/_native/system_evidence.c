/* Find the time from which on a thread runs that was woken before its switch. The reference is
 * model/running_evidence.py. */
#include "system_parts.h"

int tt_system_evidence(tt_system_t *system, uint32_t code, int32_t word)
{
    if (code >= TT_CODES || word < -1 || word > 1) {
        return -1;
    }
    system->evidence[code] = word < 0    ? TT_EVIDENCE_ANY
                             : word == 0 ? TT_EVIDENCE_WORD0
                                         : TT_EVIDENCE_WORD1;
    return 0;
}

void tt_note_quiet(tt_system_t *system, const tt_process_t *thread)
{
    tt_core_t *core = thread->core;
    if (core != NULL && core->left != TT_IDLE && core->left == thread->key) {
        core->quiet = system->ticks;
    }
}

void tt_note_interrupt_end(const tt_system_t *system, tt_core_t *core)
{
    if (core->left != TT_IDLE && core->depth == 1u) {
        core->quiet = system->ticks;
    }
}

void tt_prove(tt_system_t *system, uint32_t data0, uint32_t data1)
{
    tt_core_t *core = &system->cores[system->cpu];
    uint8_t place = system->evidence[system->code];
    uint32_t word = place == TT_EVIDENCE_WORD0 ? data0 : data1;
    if (place != TT_EVIDENCE_ANY && word != core->left) {
        return;
    }
    tt_process_t *thread = (tt_process_t *)(uintptr_t)tt_map_get(&system->tids, core->left);
    if (thread == NULL || thread->core != core || core->depth != 1u || core->stack[0] != NULL ||
        (thread->state != TT_STATE_READY && thread->state != TT_STATE_ACTIVE)) {
        return;
    }
    uint64_t now = system->ticks;
    system->ticks = core->quiet;
    core->stack[0] = thread;
    core->left = TT_IDLE;
    tt_run(system, thread, core);
    system->ticks = now;
}
