# The compiler instruments every function of the plant as a runnable; its source needs no macros.
INSTRUMENTED := plant.c
