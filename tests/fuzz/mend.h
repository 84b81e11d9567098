/* Corrects checksums of tapes that libFuzzer changed, so that mutations reach the code after the
 * checks. */
#ifndef FUZZ_MEND_H
#define FUZZ_MEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Correct the CRCs of the tape's header and of chunk headers, with `bodies` also of bodies. */
void mend_tape(uint8_t *file, size_t file_bytes, bool bodies);

#endif
