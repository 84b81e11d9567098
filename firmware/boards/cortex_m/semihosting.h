/*
 * boards/cortex_m/semihosting.h - calls to the debugger or emulator (Arm "Semihosting for
 * AArch32"). Without a debugger or emulator each call fails: the fault handler skips it.
 */
#ifndef BOARD_SEMIHOSTING_H
#define BOARD_SEMIHOSTING_H

#include <stdbool.h>
#include <stdint.h>

/* Copy the command line with its terminating zero to `text`. Returns false if there is none or it
 * does not fit. */
bool semihosting_command_line(char *text, uint32_t size_bytes);

/* Open a file of the host for writing. Returns its handle, above 0, or 0 on failure. */
uint32_t semihosting_open(const char *path);

/* Write all bytes. Returns false if the host did not. */
bool semihosting_write(uint32_t handle, const void *bytes, uint32_t count);
void semihosting_close(uint32_t handle);

/* Write a text for users to the debugger's or emulator's console. */
void semihosting_write_text(const char *text);

/* End the program with an exit code. Returns if no host serves semihosting. */
void semihosting_exit(uint32_t code);

#endif
