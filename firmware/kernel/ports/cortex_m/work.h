/* ports/cortex_m/work.h - measure the speed of the loop of kernel_work_us(). */
#ifndef KERNEL_PORT_WORK_H
#define KERNEL_PORT_WORK_H

/* Measure the speed of the loop. Interrupts are masked, and the board's clock runs. */
void kernel_work_measure(void);

#endif
