/*
 * Frontend of Zephyr's logging (CONFIG_TICKERTAPE_LOG): LOG_INF() and the other macros record a
 * message (tickertape/log.h) in the context of their call. The host reads the format from the ELF
 * file.
 *
 * Zephyr passes a package (zephyr/sys/cbprintf.h): a header word, the address of the format, and
 * the arguments as in a va_list, 64-bit values at an even word. They are recorded unchanged; the
 * host takes their types from the format. Only strings in RAM have to be copied. A message with
 * such strings is recorded with types, which the target takes from the format.
 *
 * The last word of each message is its source: the address of Zephyr's data for the module
 * (log_const_NAME, or log_dynamic_NAME if levels can change at run time), the level minus 1 in bits
 * 0 and 1, and bit 0 of the format's address in bit 31. docs/log.md has the layout.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <zephyr/linker/utils.h>
#include <zephyr/logging/log_frontend.h>
#include <zephyr/sys/cbprintf.h>

#include "tickertape/log.h"

#define WORD_BYTES   ((uint32_t)sizeof(uint32_t))
#define HEADER_WORDS ((uint32_t)(sizeof(union cbprintf_package_hdr) / sizeof(uint32_t)))
#define MOST_WORDS   48u
#define TYPE_BITS    4u

/* Source of messages without a module: printk() through the log, and LOG_RAW(). */
const uint32_t log_const_ = 0;

/* Rare paths are not inlined, so that a short message needs a small stack frame. */
#define RARE __attribute__((noinline))

static const char *text_at(const uint32_t *word)
{
    return (const char *)(uintptr_t)*word;
}

/* Return the last word of a message, its source. */
static uint32_t source_word(const void *source, uint32_t level, uint32_t format)
{
    uint32_t address = (uint32_t)(uintptr_t)(source != NULL ? source : &log_const_);
    uint32_t urgency = level - (level != 0u ? 1u : 0u);
    return address | (urgency & 3u) | format << 31;
}

/* Return whether the package has a string that must be copied. `counts` is the header of the
 * package; the lists it counts follow the arguments. */
static RARE bool has_text_in_ram(const uint32_t *package,
                                 const struct cbprintf_package_desc *counts)
{
    const uint8_t *places = (const uint8_t *)(package + counts->len) + counts->ro_str_cnt;
    for (uint32_t i = 0; i < counts->rw_str_cnt; i++) {
        /* A pair: number of the argument, its word index. */
        if (!linker_is_in_rodata(text_at(&package[places[2u * i + 1u]]))) {
            return true;
        }
    }
    return counts->str_cnt != 0u;
}

/* Return the string of the argument at index `word`: the copy appended to the package if there is
 * one, else the string that the argument points to. */
static const char *text_of(const uint32_t *package, const struct cbprintf_package_desc *counts,
                           uint32_t word)
{
    const char *at = (const char *)(package + counts->len) + counts->ro_str_cnt +
                     2u * (uint32_t)counts->rw_str_cnt;
    for (uint32_t i = 0; i < counts->str_cnt; i++) {
        if ((uint8_t)*at == word) {
            return at + 1;
        }
        at += strlen(at + 1) + 2u;
    }
    return text_at(&package[word]);
}

/* Return the type of the next argument, or 0 after the last one. Advances `*format` past it.
 * `*inside` keeps whether `*format` is inside a conversion. */
static uint32_t next_type(const char **format, bool *inside)
{
    const char *at = *format;
    uint32_t longs = 0;
    uint32_t type = 0;
    while (type == 0u && *at != '\0') {
        char letter = *at++;
        if (!*inside) {
            *inside = letter == '%';
            longs = 0;
        } else if (letter == '*') {
            type = TT_LOG_WORD; /* the conversion continues */
        } else if (letter == 'l') {
            longs++;
        } else if (letter == 'j') {
            longs = 2;
        } else if (strchr("-+ #0123456789.hztL", letter) == NULL) {
            *inside = false;
            if (letter == 's') {
                type = TT_LOG_COPIED;
            } else if (strchr("fFeEgGaA", letter) != NULL) {
                type = TT_LOG_DOUBLE;
            } else if (letter != '%') {
                type = longs >= 2u ? TT_LOG_LONG : TT_LOG_WORD;
            }
        }
    }
    *format = at;
    return type;
}

/* Copy a string into `words`, its length first, truncated to `room` words. Return the number of
 * words written. */
static uint32_t copy_text(uint32_t *words, uint32_t room, const char *text)
{
    uint32_t bytes = (uint32_t)strnlen(text, (room - 1u) * WORD_BYTES);
    uint32_t count = (bytes + WORD_BYTES - 1u) / WORD_BYTES;
    words[count] = 0; /* pads the last word; without text this is the length word */
    words[0] = bytes;
    memcpy(&words[1], text, bytes);
    return count + 1u;
}

static RARE void record_typed(const uint32_t *package, const struct cbprintf_package_desc *counts,
                              uint32_t source)
{
    uint32_t words[MOST_WORDS];
    uint32_t count = 2;
    uint32_t shift = 0;
    uint32_t place = HEADER_WORDS + 1u;
    const char *format = text_at(&package[HEADER_WORDS]);
    bool inside = false;
    words[0] = (package[HEADER_WORDS] & ~1u) | TT_LOG_TYPED;
    words[1] = 0;
    while (shift < 32u && count + 3u < MOST_WORDS) {
        uint32_t type = next_type(&format, &inside);
        bool is_wide = type == TT_LOG_LONG || type == TT_LOG_DOUBLE;
        place += is_wide ? place & 1u : 0u;
        if (type == 0u || place + (is_wide ? 2u : 1u) > counts->len) {
            break;
        }
        if (type == TT_LOG_COPIED) {
            const char *text = text_of(package, counts, place);
            if (text == NULL || linker_is_in_rodata(text)) {
                type = TT_LOG_LITERAL;
                words[count++] = (uint32_t)(uintptr_t)text;
            } else {
                count += copy_text(&words[count], MOST_WORDS - 1u - count, text);
            }
            place++;
        } else {
            words[count++] = package[place++];
            if (is_wide) {
                words[count++] = package[place++];
            }
        }
        words[1] |= type << shift;
        shift += TYPE_BITS;
    }
    words[count++] = source;
    tt_log_words(words, count);
}

static RARE void record_many(const uint32_t *arguments, uint32_t count, uint32_t format,
                             uint32_t source)
{
    uint32_t words[MOST_WORDS];
    uint32_t kept = count < MOST_WORDS - 2u ? count : MOST_WORDS - 2u;
    words[0] = format;
    memcpy(&words[1], arguments, kept * WORD_BYTES);
    words[kept + 1u] = source;
    tt_log_words(words, kept + 2u);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): declared by Zephyr */
void log_frontend_msg(const void *source, const struct log_msg_desc desc, uint8_t *package,
                      const void *data)
{
    (void)data; /* bytes of LOG_HEXDUMP_*(): not recorded, only its text is */
    uint32_t route = tt_route_load(TT_ROUTE_SYSTEM_LOG);
    if (route == 0u || package == NULL || desc.package_len == 0u) {
        return;
    }
    const uint32_t *words = (const uint32_t *)(const void *)package;
    const struct cbprintf_package_desc *counts = (const void *)package;
    uint32_t format = words[HEADER_WORDS];
    uint32_t from = source_word(source, desc.level, format);
    if ((counts->rw_str_cnt | counts->str_cnt) != 0u && has_text_in_ram(words, counts)) {
        record_typed(words, counts, from);
        return;
    }
    const uint32_t *arguments = &words[HEADER_WORDS + 1u];
    uint32_t count = counts->len - (HEADER_WORDS + 1u);
    format &= ~1u;
    if (count == 3u) {
        tt_log_four(format, arguments[0], arguments[1], arguments[2], from);
    } else if (count == 2u) {
        tt_log_three(format, arguments[0], arguments[1], from);
    } else if (count == 1u) {
        tt_log_two(format, arguments[0], from, route);
    } else if (count == 0u) {
        tt_record(format, from, TT_LOG_HEADER, route);
    } else {
        record_many(arguments, count, format, from);
    }
}

void log_frontend_init(void)
{
}

void log_frontend_panic(void)
{
}
