/*
 * Events to lines of text (_native/text.c); the input defines records. The target answers for
 * Python: types with any kind of field, names with any bytes. The writer writes a line per row,
 * except for rows that it leaves to Python.
 */
#include "events.h"
#include "interface.h"

#define ROOM_BYTES 2048u
#define ROUNDS_MAX 100000u

/* Return a hash of a code or key. */
static uint32_t mixed(uint64_t number)
{
    return (uint32_t)((number + 1u) * UINT64_C(0x9e3779b97f4a7c15) >> 40);
}

static void set_type(tt_text_t *text, uint32_t code)
{
    static const uint8_t kinds[] = {TT_WORD_DECIMAL, TT_WORD_SIGNED, TT_WORD_HEX,    TT_WORD_THREAD,
                                    TT_WORD_IRQ,     TT_WORD_OBJECT, TT_WORD_ADDRESS};
    uint32_t hash = mixed(code);
    tt_text_type_t type = {.code = code,
                           .by_python = (uint8_t)(hash % 16u < 2u ? 1u + hash % 2u : 0u),
                           .string = (uint8_t)(hash >> 4 & 1u),
                           .words = (uint8_t)(hash >> 5 & 3u),
                           .field_count = (uint8_t)((hash >> 7) % 3u),
                           .says_name = (uint8_t)(hash >> 9 & hash >> 4 & 1u),
                           .head_bytes = (uint8_t)((hash >> 10) % (TT_TEXT_HEAD_BYTES + 1u))};
    memset(type.head, 'h', type.head_bytes);
    for (uint32_t i = 0; i < type.field_count; i++) {
        uint32_t other = mixed(code + 77777u * (i + 1u));
        type.fields[i] = (tt_text_field_t){.word = (uint8_t)(other & 1u),
                                           .kind = kinds[(other >> 1) % sizeof kinds],
                                           .label_bytes = (uint8_t)((other >> 8) % 62u)};
        memset(type.fields[i].label, 'l', type.fields[i].label_bytes);
    }
    FUZZ_CHECK(tt_text_set_type(text, &type) == 0);
}

static void set_name(tt_text_t *text, uint64_t key)
{
    char name[TT_TEXT_NAME_BYTES];
    uint32_t hash = mixed(key);
    uint32_t bytes = hash % 4u == 0u ? (hash >> 2) % (TT_TEXT_NAME_BYTES + 1u) : hash >> 2 & 15u;
    memset(name, (int)(hash >> 8 & 0x7fu) == '\n' ? ' ' : (int)(hash >> 8 & 0x7fu), sizeof name);
    FUZZ_CHECK(tt_text_set_name(text, key, name, bytes) == 0);
}

/* Write all rows; returns the number of rows left to Python. */
static uint64_t write_rows(tt_text_t *text, tt_text_job_t *job, uint64_t *lines)
{
    uint64_t by_python = 0;
    for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
        job->out = fuzz_memory(ROOM_BYTES, 1);
        job->room = ROOM_BYTES;
        int why = tt_text_write(text, job);
        FUZZ_CHECK(job->written <= ROOM_BYTES);
        for (uint64_t i = 0; i < job->written; i++) {
            *lines += job->out[i] == '\n';
        }
        free(job->out);
        if (why == TT_TEXT_DONE) {
            return by_python;
        }
        FUZZ_CHECK(why != TT_TEXT_NO_MEMORY);
        if (why == TT_TEXT_NO_TYPE) {
            set_type(text, (uint32_t)job->missing);
        } else if (why == TT_TEXT_NO_NAME) {
            set_name(text, job->missing);
        } else if (why == TT_TEXT_BY_PYTHON) {
            by_python++;
            job->row++;
        }
    }
    FUZZ_CHECK(false); /* it does not end */
    return 0;
}

static void print(tt_text_t *text, const fuzz_events_t *events, fuzz_input_t *input)
{
    uint64_t rows = events->found.rows;
    uint8_t flags = fuzz_u8(input);
    int64_t *running = fuzz_memory(rows, sizeof *running);
    uint8_t *skip = fuzz_memory(rows, 1);
    uint64_t skipped = 0;
    uint64_t lines = 0;
    for (uint64_t row = 0; row < rows; row++) {
        running[row] = (int64_t)(events->columns.data0[row] & 7u) - 1;
        skip[row] = (flags & 1u) != 0u && (events->columns.data1[row] & 3u) == 0u;
        skipped += skip[row];
    }
    tt_text_job_t job = {.columns = events->columns,
                         .running = running,
                         .skip = (flags & 1u) != 0u ? skip : NULL,
                         .end_row = rows};
    uint64_t by_python = write_rows(text, &job, &lines);
    FUZZ_CHECK(lines + by_python <= rows && lines + by_python + skipped >= rows);
    free(running);
    free(skip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tt_text_t *writers[2];
    static const uint64_t rates[] = {0, 1, 1000000u, 25000000u, 1000000000u, UINT32_MAX};
    fuzz_input_t input = fuzz_begin(data, size);
    uint8_t flags = fuzz_u8(&input);
    tt_text_t **text = &writers[flags & 1u];
    if (*text == NULL) {
        *text = tt_text_new(flags & 1u); /* kept, because types are the same for every input */
    }
    tt_text_begin(*text, rates[(flags >> 2) % (sizeof rates / sizeof rates[0])]);
    tt_assembler_t *assembler = tt_assembler_new();
    fuzz_events_t events;
    fuzz_events_make(&events, assembler, &input, (flags & 2u) != 0u, true);
    print(*text, &events, &input);
    fuzz_events_free(&events);
    tt_assembler_free(assembler);
    return 0;
}
