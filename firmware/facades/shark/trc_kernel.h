/*
 * trc_kernel.h - declarations of the S.Ha.R.K. kernel that the tracer uses: network addresses
 * ("drivers/udpip.h") and the model of a soft task ("kernel/model.h").
 */
#ifndef TRC_KERNEL_H
#define TRC_KERNEL_H

#include <stdint.h>

/* An IPv4 address: 10.0.2.2 is {{10, 0, 2, 2}}. */
typedef struct TAGip_addr {
    uint8_t ad[4];
} IP_ADDR;

/* Source or destination of datagrams. Port 0: unspecified. */
typedef struct TAGudp_addr {
    IP_ADDR s_addr;
    uint16_t s_port;
} UDP_ADDR;

/* First member of all models; the tracer does not use it. */
typedef struct TAGtask_model {
    uint32_t control;
} TASK_MODEL;

/* A task with a period and a budget, both in microseconds. `wcet` is the maximum of an activation;
 * `met`, its average, is not used here. */
typedef struct TAGsoft_task_model {
    TASK_MODEL t;
    long period;
    long met;
    long wcet;
} SOFT_TASK_MODEL;

#define soft_task_default_model(m)                                                                 \
    ((m).t.control = 0, (m).period = 0, (m).met = 0, (m).wcet = 0) /* no budget */
#define soft_task_def_system(m)      ((void)(m))                   /* always a task of the system */
#define soft_task_def_periodic(m)    ((void)(m))                   /* always periodic */
#define soft_task_def_period(m, p)   ((m).period = (p))
#define soft_task_def_met(m, value)  ((m).met = (value))
#define soft_task_def_wcet(m, value) ((m).wcet = (value))

#endif
