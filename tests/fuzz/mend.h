/* Right checksums for tapes that libFuzzer changed, so that mutations reach the code after the
 * check. */
#ifndef FUZZ_MEND_H
#define FUZZ_MEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Make the CRCs of the tape's header and of the chunks right, those of bodies where `bodies`. */
void mend_tape(uint8_t *file, size_t file_bytes, bool bodies);

#endif
