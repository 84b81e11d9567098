/* The running thread at each event (_native/running.c), for any records and losses. */
#include "fuzz.h"
#include "interface.h"

#define ROWS_MAX 64u
#define CODE     (9u << 10)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = fuzz_begin(data, size);
    uint64_t count = fuzz_u8(&input) % ROWS_MAX;
    uint64_t loss_count = fuzz_u8(&input) % 8u;
    uint32_t *header = fuzz_memory(count, sizeof *header);
    uint32_t *data0 = fuzz_memory(count, sizeof *data0);
    uint32_t *data1 = fuzz_memory(count, sizeof *data1);
    int64_t *losses = fuzz_memory(loss_count, sizeof *losses);
    int64_t *out = fuzz_memory(count, sizeof *out);
    uint64_t row = 0;
    for (uint64_t i = 0; i < loss_count; i++) {
        row += fuzz_u8(&input) % (count - row + 1u);
        losses[i] = (int64_t)(row << 1 | (fuzz_u8(&input) & 1u));
    }
    for (uint64_t i = 0; i < count; i++) {
        uint8_t kind = fuzz_u8(&input);
        header[i] = (kind & 1u) != 0u ? CODE : fuzz_u32(&input);
        data0[i] = (kind & 2u) != 0u ? fuzz_u32(&input) : fuzz_u8(&input);
        data1[i] = (kind & 4u) != 0u ? fuzz_u32(&input) : fuzz_u8(&input);
    }
    const tt_running_job_t job = {.header = header,
                                  .data0 = data0,
                                  .data1 = data1,
                                  .losses = losses,
                                  .count = count,
                                  .loss_count = loss_count,
                                  .switch_code = CODE,
                                  .running = (int64_t)fuzz_u8(&input) - 1,
                                  .out = out};
    int64_t last = tt_running_column(&job);
    FUZZ_CHECK(last >= TT_MANY_CPUS && last <= (int64_t)UINT32_MAX);
    for (uint64_t i = 0; last != TT_MANY_CPUS && i < count; i++) {
        FUZZ_CHECK(out[i] >= TT_UNKNOWN_THREAD && out[i] <= (int64_t)UINT32_MAX);
    }
    free(header);
    free(data0);
    free(data1);
    free(losses);
    free(out);
    return 0;
}
