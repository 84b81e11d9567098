# The example runs without the kernel, so the drain and three levels that record use the main stack.
MAIN_STACK := 3072
