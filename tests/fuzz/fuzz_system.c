/* The kernel model (_native/system*.c); the input defines records. model.c has the checks. */
#include "model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = fuzz_begin(data, size);
    fuzz_model_t model;
    fuzz_model_run(&model, &input);
    free(model.transitions);
    return 0;
}
