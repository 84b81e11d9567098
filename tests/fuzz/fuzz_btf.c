/* Transitions to lines of the Best Trace Format (_native/btf*.c); the input defines records. */
#include <stdint.h>

#include "btf_parts.h"
#include "fuzz_rules.h"
#include "interface.h"
#include "model.h"

#define NAME_BYTES 70u

/* Return the words, which are the same for every input. */
static const tt_btf_t *words(void)
{
    static tt_btf_t *filled;
    if (filled != NULL) {
        return filled;
    }
    filled = tt_btf_new(false);
    for (size_t i = 0; i < sizeof fuzz_words / sizeof fuzz_words[0]; i++) {
        const fuzz_word_t *word = &fuzz_words[i];
        FUZZ_CHECK(tt_btf_set_word(filled, word->table, word->place, word->text) == 0);
    }
    return filled;
}

static tt_btf_t *new_writer(bool old)
{
    tt_btf_t *btf = tt_btf_new(old);
    memcpy(btf->words, words()->words, sizeof btf->words);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        FUZZ_CHECK(tt_btf_set_cpu(btf, cpu, "core", "scheduler") == 0);
    }
    return btf;
}

static void write_all(tt_btf_t *btf, tt_btf_job_t *job)
{
    while (job->at < job->end) {
        uint64_t before = job->at;
        FUZZ_CHECK(tt_btf_write(btf, job) == 0);
        FUZZ_CHECK(job->at > before && (job->bytes == 0u || job->text[job->bytes - 1u] == '\n'));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t rates[] = {1, 1000000u, 25000000u, UINT32_MAX};
    fuzz_input_t input = fuzz_begin(data, size);
    uint8_t flags = fuzz_u8(&input);
    fuzz_model_t model;
    char name[NAME_BYTES];
    memset(name, 'n', sizeof name);
    fuzz_model_run(&model, &input);
    tt_btf_t *btf = new_writer((flags & 1u) != 0u);
    for (uint64_t i = 0; i < model.entity_count; i++) {
        uint32_t kind = fuzz_model_kind(i);
        FUZZ_CHECK(tt_btf_add_entity(btf, kind, name, (uint32_t)(i * 7u % NAME_BYTES)) == 0);
    }
    tt_btf_job_t job = {.transitions = model.transitions,
                        .end = model.count,
                        .tick_hz = rates[flags >> 1 & 3u],
                        .offset_ns = fuzz_u8(&input)};
    write_all(btf, &job);
    tt_btf_free(btf);
    free(model.transitions);
    return 0;
}
