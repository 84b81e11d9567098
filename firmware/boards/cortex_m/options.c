/* Options, files, identity and the end of the program. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "board.h"
#include "board_config.h" /* code_begin, code_bytes */
#include "kernel_board.h"
#include "semihosting.h"
#include "startup.h"

#define COMMAND_LINE_BYTES 256u

/* Offset of the id in a build id note, after three words and "GNU" with its terminating zero. */
#define BUILD_ID_OFFSET 16u

const char board_name[] = BOARD_NAME;

extern const uint8_t board_build_id_note[]; /* defined in the linker script */

const uint8_t *board_build_id(void)
{
    return board_build_id_note + BUILD_ID_OFFSET;
}

void kernel_board_code(uintptr_t *begin, size_t *bytes)
{
    *begin = (uintptr_t)code_begin;
    *bytes = (size_t)(uintptr_t)code_bytes;
}

/* Return the number at `text`, which ends at a blank or the end, or `otherwise` if it is not a
 * number below 2^32. */
static uint32_t parse_number(const char *text, uint32_t otherwise)
{
    uint64_t value = 0;
    const char *digit = text;
    while (*digit >= '0' && *digit <= '9' && value <= UINT32_MAX) {
        value = value * 10u + (uint32_t)(*digit - '0');
        digit++;
    }
    bool valid = digit != text && (*digit == ' ' || *digit == '\0') && value <= UINT32_MAX;
    return valid ? (uint32_t)value : otherwise;
}

/* Static, because the stacks of threads are small. */
static char command_line[COMMAND_LINE_BYTES];

void options_read(void)
{
    if (!semihosting_command_line(command_line, sizeof command_line)) {
        command_line[0] = '\0';
    }
}

uint32_t board_option(const char *name, uint32_t otherwise)
{
    size_t name_bytes = strlen(name);
    const char *word = command_line;
    while (word != NULL) {
        word += strspn(word, " ");
        if (strncmp(word, name, name_bytes) == 0 && word[name_bytes] == '=') {
            return parse_number(word + name_bytes + 1u, otherwise);
        }
        word = strchr(word, ' ');
    }
    return otherwise;
}

void *board_file_open(const char *path)
{
    return (void *)(uintptr_t)semihosting_open(path);
}

void board_file_write(void *file, const void *bytes, uint32_t count)
{
    if (!semihosting_write((uint32_t)(uintptr_t)file, bytes, count)) {
        board_console_write("a file cannot be written: is the disk full?\n");
        board_exit(BOARD_EXIT_LINK);
    }
}

void board_file_close(void *file)
{
    semihosting_close((uint32_t)(uintptr_t)file);
}

void board_exit(int code)
{
    trace_link_close();
    semihosting_exit((uint32_t)code);
    __asm volatile("cpsid i" ::: "memory");
    for (;;) {
        __asm volatile("wfi");
    }
}
