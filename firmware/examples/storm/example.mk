# It runs without the kernel: the main stack has the drain as well as three levels that record.
MAIN_STACK := 3072
