/* The kernel model (_native/system*.c), from records on; model.c has what must hold. */
#include "model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = fuzz_begin(data, size);
    fuzz_model_t model;
    fuzz_model_run(&model, &input);
    free(model.transitions);
    return 0;
}
