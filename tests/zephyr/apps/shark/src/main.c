/*
 * Two queues of the S.Ha.R.K. view under Zephyr: a task sends one buffer of the first every 50 ms,
 * the second is fixed. The program logs more events than either queue can keep.
 */
#include <stddef.h>
#include <zephyr/kernel.h>

#include "finish.h"
#include "trc.h"

#define PERIOD_US 50000
#define WCET_US   10000
#define ROUNDS    80
#define PER_ROUND 40

static int create_sent(void)
{
    SOFT_TASK_MODEL model;
    TRC_UDP_PARMS parms;
    const UDP_ADDR nowhere = {.s_port = 0};

    soft_task_default_model(model);
    soft_task_def_system(model);
    soft_task_def_periodic(model);
    soft_task_def_period(model, PERIOD_US);
    soft_task_def_wcet(model, WCET_US);
    trc_udp_default_parms(parms, nowhere, nowhere);
    trc_udp_def_model(parms, &model.t);
    return trc_create_queue(TRC_UDP_QUEUE, &parms);
}

static int create_queues(void)
{
    int result = TRC_init_phase1(NULL);

    result |= trc_register_udp_queue();
    result |= trc_register_fixed_queue();
    int sent = create_sent();
    int fixed = trc_create_queue(TRC_FIXED_QUEUE, NULL);
    result |= trc_assign_class_to_queue(TRC_CLASS_TRACER, sent);
    result |= trc_assign_class_to_queue(TRC_CLASS_USER, sent);
    result |= trc_assign_event_to_queue(TRC_USER1, fixed);
    result |= trc_trace_class(TRC_CLASS_TRACER);
    result |= trc_trace_class(TRC_CLASS_USER);
    return result | TRC_init_phase2();
}

int main(void)
{
    if (create_queues() != 0) {
        printk("the queues cannot be made\n");
        return 0;
    }
    for (trc_user_event_t info = {.n = 1}; info.n <= ROUNDS * PER_ROUND; info.n++) {
        (void)trc_logevent(TRC_USER0, &info);
        (void)trc_logevent(TRC_USER1, &info);
        if (info.n % PER_ROUND == 0) {
            k_msleep(1);
        }
    }
    trc_end();
    finish();
    return 0;
}
