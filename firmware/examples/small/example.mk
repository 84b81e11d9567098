EXAMPLE_DEFINES := TT_CONFIG_SMALL=1
# It runs without the kernel: the main stack has the drain as well.
MAIN_STACK := 1536
