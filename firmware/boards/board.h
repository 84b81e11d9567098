/*
 * boards/board.h - functions that a board defines for applications, and functions that it calls.
 *
 * A board also defines those of the kernel (kernel_board.h) and of the recorder (the port;
 * tt_port_notify_drain() raises BOARD_DRAIN_IRQ on CPU 0). Numbers are in the board's
 * board_config.h.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "board_config.h"
#include "tickertape/api.h"
#include "tickertape/link.h"

TT_C_BEGIN

/* An application has to define: --------------------------------------------------------------- */

/* Create threads and call kernel_start(). The board is ready, interrupts are enabled. */
void application_main(void);

/* A board has to define: ---------------------------------------------------------------------- */

/* Its name, for people. */
extern const char board_name[];

/* The link that carries the trace, and whether everything put into it has left the board. */
TT_API const tt_link_t *board_trace_link(void) TT_WITHOUT(NULL);
TT_API bool board_trace_sent(void) TT_WITHOUT(true);

/* The 20 bytes of the image's GNU build id, or NULL. */
const uint8_t *board_build_id(void);

/*
 * A number from the command line, written name=value (target) or --name value (native,
 * with - for _); `otherwise` when it was not given. Names: duration_ms, boot_id, detail
 * (1: the trace has critical sections and handlers as well), and those of the application.
 */
uint32_t board_option(const char *name, uint32_t otherwise);

/* Let interrupt BOARD_SENSOR_IRQ come every `period_us`, 10 to 1000000; 0 ends it. Threads and
 * main.
 */
void board_sensor_start(uint32_t period_us);

/* The interrupt was served; its device may raise the next. In the interrupt. */
void board_sensor_acknowledge(void);

/* Number of the CPU that runs, 0 to BOARD_CPUS - 1. Any context. */
uint32_t board_cpu(void);

/*
 * Start another CPU, which waits since reset: it executes `entry` on a stack of its own, with
 * interrupts enabled, and halts when that returns. Interrupts have to be attached on the CPU that
 * shall serve them. From CPU 0, once for each CPU; boards with one CPU have no such function.
 */
void board_cpu_start(uint32_t cpu, void (*entry)(void));

/* Yield to the other CPU in an emulator that runs the CPUs in turns. For loops that wait for
 * another CPU, or that must not delay it. */
void board_yield(void);

/* Raise interrupt `irq` on the CPU that runs. Any context. */
void board_irq_raise(uint32_t irq);

/*
 * A file of the host that started the program: emptied and open for writing, or NULL
 * without support. Each call waits until it is done. Threads and main.
 */
void *board_file_open(const char *path);
void board_file_write(void *file, const void *bytes, uint32_t count);
void board_file_close(void *file);

/*
 * Datagrams over IPv4 from a port of the board (0: any) to one of `address`, or NULL without a
 * network. Before the kernel runs. Sending never waits: a datagram that cannot be sent at once is
 * lost. The drain sends, when the trace itself uses the network.
 */
void *board_udp_open(uint16_t local_port, const uint8_t address[4], uint16_t port);
void board_udp_send(void *socket, const void *bytes, uint32_t count);
void board_udp_close(void *socket);

/* The IPv4 address of the host that started the program. */
extern const uint8_t board_host_address[4];

/* A text for people, on the console. Waits for the console. Any context. */
void board_console_write(const char *text);

/* End of the program with an exit code, 0 to 125, for the host. */
__attribute__((noreturn)) void board_exit(int code);

/* Exit codes that boards use themselves. */
#define BOARD_EXIT_USAGE 64 /* wrong options */
#define BOARD_EXIT_PANIC 70 /* kernel_panic() or a fault of the processor */
#define BOARD_EXIT_LINK  74 /* the trace link cannot be opened, or the host closed it */

TT_C_END

#endif
