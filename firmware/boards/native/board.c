/* Identity, interrupts, start and end of the program. */
#include "board.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "kernel_board.h"
#include "native.h"
#include "options.h"
#include "tickertape/port.h"
#include "trace_channel.h"

_Static_assert(BOARD_CLOCK_HZ == NATIVE_CLOCK_HZ, "one clock");

#define TICKS_PER_US (NATIVE_CLOCK_HZ / 1000000u)

const char board_name[] = BOARD_NAME;

/* ELF header of this program in memory, defined by the linker. */
extern const uint8_t __ehdr_start[];

/* Return the build id in a segment of notes, or NULL. A note has three words, then name and
 * content, each padded to 4 bytes. */
static const uint8_t *find_build_id(const uint8_t *notes, size_t count)
{
    while (count >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)notes;
        size_t name_bytes = (note->n_namesz + 3u) & ~(size_t)3u;
        size_t note_bytes = sizeof *note + name_bytes + ((note->n_descsz + 3u) & ~(size_t)3u);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz == 20u) {
            return notes + sizeof *note + name_bytes;
        }
        if (note_bytes > count) {
            return NULL;
        }
        notes += note_bytes;
        count -= note_bytes;
    }
    return NULL;
}

const uint8_t *board_build_id(void)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)__ehdr_start;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(const void *)(__ehdr_start + header->e_phoff);
    const uint8_t *found = NULL;
    for (size_t i = 0; i < header->e_phnum && found == NULL; i++) {
        if (segments[i].p_type == PT_NOTE) {
            found = find_build_id(__ehdr_start + segments[i].p_offset, segments[i].p_filesz);
        }
    }
    return found;
}

static void tick(void *argument)
{
    (void)argument;
    kernel_tick();
}

void kernel_board_start_tick(uint32_t hz)
{
    (void)kernel_irq_attach(BOARD_TICK_IRQ, KERNEL_IRQ_LEVEL_KERNEL, tick, NULL);
    native_timer_start(BOARD_TICK_IRQ, native_clock() + NATIVE_CLOCK_HZ / hz, NATIVE_CLOCK_HZ / hz);
}

void kernel_board_idle(void)
{
    native_wait();
}

uint32_t kernel_board_clock(void)
{
    return native_clock_ticks();
}

uint32_t kernel_board_clock_hz(void)
{
    return NATIVE_CLOCK_HZ;
}

void board_sensor_start(uint32_t period_us)
{
    uint64_t period = (uint64_t)period_us * TICKS_PER_US;
    uint64_t first = period_us == 0u ? UINT64_MAX : native_clock() + period;
    native_timer_start(BOARD_SENSOR_IRQ, first, period);
}

void board_sensor_acknowledge(void)
{
}

uint32_t board_cpu(void)
{
    return 0;
}

void board_yield(void)
{
}

void board_irq_raise(uint32_t irq)
{
    native_raise(irq);
}

void tt_port_notify_drain(void)
{
    native_raise(BOARD_DRAIN_IRQ);
}

void *board_file_open(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        perror(path);
    }
    return file;
}

void board_file_write(void *file, const void *bytes, uint32_t count)
{
    if (fwrite(bytes, 1, count, file) != count) {
        perror("a file cannot be written");
        board_exit(BOARD_EXIT_LINK);
    }
}

void board_file_close(void *file)
{
    (void)fclose(file);
}

void board_console_write(const char *text)
{
    (void)fputs(text, stderr);
}

void kernel_panic(const char *reason)
{
    (void)fprintf(stderr, "panic: %s\n", reason);
    board_exit(BOARD_EXIT_PANIC);
}

void board_exit(int code)
{
    static bool ending;
    if (!ending) {
        ending = true;
        trace_channel_close();
    }
    exit(code);
}

int main(int count, char **words)
{
    (void)count;
    const native_options_t options = native_options_parse(words);
    if (options.real_time) {
        native_use_real_time();
    }
    trace_channel_open(options.trace);
    application_main();
    board_exit(0);
}
