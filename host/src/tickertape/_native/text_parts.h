/* Write pieces of lines: bytes, numbers and texts. Each function returns the place after them. */
#ifndef TICKERTAPE_NATIVE_TEXT_PARTS_H
#define TICKERTAPE_NATIVE_TEXT_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define WORD_BYTES 4u

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";
static const char hex_digits[] = "0123456789abcdef";

static inline char *put_bytes(char *at, const char *bytes, size_t count)
{
    memcpy(at, bytes, count);
    return at + count;
}

/* Copy a text that has room for at least `piece` bytes and is usually not longer. */
static inline __attribute__((always_inline)) char *put_short(char *at, const char *text,
                                                             uint32_t bytes, uint32_t piece)
{
    memcpy(at, text, piece);
    if (bytes > piece) {
        memcpy(at + piece, text + piece, bytes - piece);
    }
    return at + bytes;
}

#define PUT_LITERAL(at, literal) put_bytes(at, literal, sizeof(literal) - 1u)

static inline char *put_decimal(char *at, uint64_t value)
{
    char digits[20];
    char *first = digits + sizeof digits;
    while (value >= 100u) {
        first -= 2;
        memcpy(first, digit_pairs + 2u * (value % 100u), 2);
        value /= 100u;
    }
    if (value >= 10u) {
        first -= 2;
        memcpy(first, digit_pairs + 2u * value, 2);
    } else {
        *--first = (char)('0' + value);
    }
    return put_bytes(at, first, (size_t)(digits + sizeof digits - first));
}

static inline char *put_hex(char *at, uint32_t value)
{
    unsigned shift = 28;
    while (shift != 0u && value >> shift == 0u) {
        shift -= 4u;
    }
    at = PUT_LITERAL(at, "0x");
    for (;; shift -= 4u) {
        *at++ = hex_digits[value >> shift & 15u];
        if (shift == 0u) {
            return at;
        }
    }
}

/* Kinds of texts. */
enum {
    NOT_PLAIN,    /* other characters: Python has to write the line */
    WITH_ESCAPES, /* printable ASCII with quotes or backslashes */
    PLAIN
};

#define BYTES_OF(value) (0x0101010101010101u * (uint64_t)(value))

/* Set the highest bit of each byte that is 0. Bytes above the first such byte may be wrong. */
static inline uint64_t zeros_in(uint64_t word)
{
    return (word - BYTES_OF(1)) & ~word & BYTES_OF(0x80);
}

static inline int kind_of_text(const uint8_t *text, uint32_t bytes)
{
    uint64_t odd = 0;
    uint64_t escapes = 0;
    for (uint32_t i = 0; i < bytes; i += 8u) {
        uint64_t word = BYTES_OF(' ');
        if (bytes - i >= sizeof word) {
            memcpy(&word, text + i, sizeof word);
        } else {
            for (uint32_t k = 0; k < bytes - i; k++) {
                word = word << 8 | text[i + k];
            }
        }
        /* Not plain: three high bits 0 (below 0x20), 0x7f, or the highest bit set. */
        odd |= word | (zeros_in(word & BYTES_OF(0xe0)) | zeros_in(word ^ BYTES_OF(0x7f)));
        escapes |= zeros_in(word ^ BYTES_OF('"')) | zeros_in(word ^ BYTES_OF('\\'));
    }
    if ((odd & BYTES_OF(0x80)) != 0u) {
        return NOT_PLAIN;
    }
    return escapes != 0u ? WITH_ESCAPES : PLAIN;
}

/* Put a string in the syntax of JSON; printable ASCII only. */
static inline char *put_quoted(char *at, const uint8_t *text, uint32_t bytes)
{
    *at++ = '"';
    if (kind_of_text(text, bytes) == PLAIN) {
        at = put_bytes(at, (const char *)text, bytes);
    } else {
        for (uint32_t i = 0; i < bytes; i++) {
            if (text[i] == '"' || text[i] == '\\') {
                *at++ = '\\';
            }
            *at++ = (char)text[i];
        }
    }
    *at++ = '"';
    return at;
}

/* Put the number of bytes, and the bytes in groups of four, as bytes.hex(" ", -4). */
static inline char *put_bytes_in_hex(char *at, const uint8_t *data, uint32_t bytes)
{
    at = put_decimal(at, bytes);
    at = PUT_LITERAL(at, " bytes: ");
    for (uint32_t i = 0; i < bytes; i++) {
        if (i != 0u && i % WORD_BYTES == 0u) {
            *at++ = ' ';
        }
        *at++ = hex_digits[data[i] >> 4];
        *at++ = hex_digits[data[i] & 15u];
    }
    return at;
}

/* Return whether a byte is whitespace for Python. */
static inline bool is_blank(char letter)
{
    return letter == ' ' || (letter >= '\t' && letter <= '\r') || (letter >= 28 && letter <= 31);
}

#endif
