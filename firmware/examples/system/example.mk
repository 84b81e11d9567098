# Every function of the plant is a runnable, without a word in its source.
INSTRUMENTED := plant.c
