/*
 * trc_kernel.h - what the API of the tracer takes over from the S.Ha.R.K. kernel around it: network
 * addresses ("drivers/udpip.h") and the model of a soft task ("kernel/model.h"), as far as the
 * tracer uses them.
 */
#ifndef TRC_KERNEL_H
#define TRC_KERNEL_H

#include <stdint.h>

/* An IPv4 address as it is written: 10.0.2.2 is {{10, 0, 2, 2}}. */
typedef struct TAGip_addr {
    uint8_t ad[4];
} IP_ADDR;

/* Where datagrams come from or go to. Port 0: none is said. */
typedef struct TAGudp_addr {
    IP_ADDR s_addr;
    uint16_t s_port;
} UDP_ADDR;

/* What all models begin with; nothing in it matters to the tracer. */
typedef struct TAGtask_model {
    uint32_t control;
} TASK_MODEL;

/* A task with a period and a budget, both in microseconds. `wcet` is the most that an activation
 * may take, and `met` what it takes on the average, which nothing here needs. */
typedef struct TAGsoft_task_model {
    TASK_MODEL t;
    long period;
    long met;
    long wcet;
} SOFT_TASK_MODEL;

#define soft_task_default_model(m)                                                                 \
    ((m).t.control = 0, (m).period = 0, (m).met = 0, (m).wcet = 0) /* no budget is said */
#define soft_task_def_system(m)      ((void)(m)) /* it is one of the system anyway */
#define soft_task_def_periodic(m)    ((void)(m)) /* periodic anyway */
#define soft_task_def_period(m, p)   ((m).period = (p))
#define soft_task_def_met(m, value)  ((m).met = (value))
#define soft_task_def_wcet(m, value) ((m).wcet = (value))

#endif
