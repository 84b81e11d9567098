/* Clock for the recorder's port: a 32-bit counter that counts up and never stops. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

/* The counter of the FPGA's I/O block. On other boards use DWT CYCCNT, 0xe0001004; enable it first.
 */
#define TT_PORT_CLOCK_REGISTER 0x40028018u
#define BOARD_CLOCK_HZ         25000000u

#endif
