/*
 * What the recorder's port has to know of an Arm MPS2 board with the AN385 or AN386 image.
 */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

/* Counter of the FPGA's I/O block: 32 bits, up, 25 MHz, never stops. Wraps after 171.8 s. */
#define TT_PORT_CLOCK_REGISTER 0x40028018u
#define BOARD_CLOCK_HZ         25000000u

/* The kernel's tick: CMSDK timer 0. */
#define BOARD_TICK_IRQ 8u

/* The CMSDK timer 1, which plays a sensor that has a new sample. */
#define BOARD_SENSOR_IRQ 9u

/* An interrupt without a device: the recorder raises it when the drain has something to do. */
#define BOARD_DRAIN_IRQ 31u

#endif
