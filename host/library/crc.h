/* CRC-32 of zlib over any number of bytes, by the fastest method of this processor. */
#ifndef TICKERTAPE_LIBRARY_CRC_H
#define TICKERTAPE_LIBRARY_CRC_H

#include <stdint.h>

uint32_t crc_of(const uint8_t *bytes, uint64_t size);

/* Compute the same CRC with the recorder's table (firmware/core/crc.c). */
uint32_t crc_by_table(const uint8_t *bytes, uint64_t size);

#endif
