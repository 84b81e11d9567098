/*
 * boards/board.h - functions that a board defines for applications, and the application's functions
 * that it calls.
 *
 * A board also defines the functions that the kernel needs (kernel_board.h) and the recorder's
 * tt_port_notify_drain(), which raises BOARD_DRAIN_IRQ on CPU 0. The board's board_config.h has the
 * numbers.
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

/* Create threads and call kernel_start(). The board is initialised and interrupts are enabled. */
void application_main(void);

/* A board has to define: ---------------------------------------------------------------------- */

/* Name of the board, shown to users. */
extern const char board_name[];

/* Return the link that carries the trace. Return whether everything put into it has left the
 * board. */
TT_API const tt_link_t *board_trace_link(void) TT_WITHOUT(NULL);
TT_API bool board_trace_sent(void) TT_WITHOUT(true);

/* Return the 20 bytes of the image's GNU build id, or NULL without one. */
const uint8_t *board_build_id(void);

/*
 * Return a number from the command line, written name=value (target) or --name value (native, with
 * - for _), or `otherwise` if it is not there. Names: duration_ms, boot_id, detail (1: also trace
 * critical sections and handlers), and names of the application.
 */
uint32_t board_option(const char *name, uint32_t otherwise);

/* Raise interrupt BOARD_SENSOR_IRQ every `period_us` microseconds, 10 to 1000000; 0 stops it.
 * Threads and main. */
void board_sensor_start(uint32_t period_us);

/* Acknowledge BOARD_SENSOR_IRQ, so that its device can raise the next one. In the interrupt. */
void board_sensor_acknowledge(void);

/* Return the number of the CPU that calls, 0 to BOARD_CPUS - 1. Any context. */
uint32_t board_cpu(void);

/*
 * Start another CPU, which waits since reset. It executes `entry` on its own stack with interrupts
 * enabled, and halts when `entry` returns. Interrupts must be attached on the CPU that serves them.
 * Call this on CPU 0, once for each other CPU. Boards with one CPU do not define it.
 */
void board_cpu_start(uint32_t cpu, void (*entry)(void));

/* Yield to the other CPU in an emulator that runs the CPUs in turns. For loops that wait for
 * another CPU, or that must not delay it. */
void board_yield(void);

/* Raise interrupt `irq` on the CPU that calls. Any context. */
void board_irq_raise(uint32_t irq);

/*
 * Files of the host that started the program. board_file_open() truncates the file and opens it for
 * writing; it returns NULL if that fails. board_file_write() ends the program if the host cannot
 * write. Each call blocks until it is done. Threads and main.
 */
void *board_file_open(const char *path);
void board_file_write(void *file, const void *bytes, uint32_t count);
void board_file_close(void *file);

/*
 * UDP over IPv4. board_udp_open() opens a socket from a port of the board (0: any) to `port` of
 * `address`; call it before the kernel runs. It returns NULL if there is no network or no socket
 * left. board_udp_send() never waits: a datagram that cannot be sent immediately is lost. If the
 * trace itself uses the network, only the drain may send.
 */
void *board_udp_open(uint16_t local_port, const uint8_t address[4], uint16_t port);
void board_udp_send(void *socket, const void *bytes, uint32_t count);
void board_udp_close(void *socket);

/* The IPv4 address of the host that started the program. */
extern const uint8_t board_host_address[4];

/* Write a text to the console, for users. Waits for the console. Any context. */
void board_console_write(const char *text);

/* End the program with an exit code for the host, 0 to 125. */
__attribute__((noreturn)) void board_exit(int code);

/* Exit codes that boards use themselves. */
#define BOARD_EXIT_USAGE 64 /* wrong options */
#define BOARD_EXIT_PANIC 70 /* kernel_panic() or a fault of the processor */
#define BOARD_EXIT_LINK  74 /* the trace link cannot be opened, or the host closed it */

TT_C_END

#endif
