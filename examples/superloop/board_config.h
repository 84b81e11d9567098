/* What the recorder's port needs of the board: a 32-bit counter that never stops. */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

/* The counter of the FPGA's I/O block. Other boards: DWT CYCCNT, 0xe0001004, once enabled. */
#define TT_PORT_CLOCK_REGISTER 0x40028018u
#define BOARD_CLOCK_HZ         25000000u

#endif
