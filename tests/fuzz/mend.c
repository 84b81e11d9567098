#include "mend.h"

#include "fuzz.h"
#include "tickertape/wire.h"

#define ALIGN 16u

void mend_tape(uint8_t *file, size_t file_bytes, bool bodies)
{
    tt_wire_tape_header_t tape;
    tt_wire_chunk_header_t header;
    if (file_bytes < sizeof tape) {
        return;
    }
    memcpy(&tape, file, sizeof tape);
    tape.crc = fuzz_crc(file, offsetof(tt_wire_tape_header_t, crc));
    memcpy(file, &tape, sizeof tape);
    for (size_t at = sizeof tape; at + sizeof header <= file_bytes;) {
        memcpy(&header, file + at, sizeof header);
        size_t left = file_bytes - at - sizeof header;
        if (bodies && header.body_bytes <= left) {
            header.body_crc = fuzz_crc(file + at + sizeof header, header.body_bytes);
        }
        header.crc = fuzz_crc((const uint8_t *)&header, offsetof(tt_wire_chunk_header_t, crc));
        memcpy(file + at, &header, sizeof header);
        if (header.body_bytes > left) {
            return;
        }
        at += (sizeof header + header.body_bytes + ALIGN - 1u) / ALIGN * ALIGN;
    }
}
