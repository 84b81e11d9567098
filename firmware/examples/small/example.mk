EXAMPLE_DEFINES := TT_CONFIG_SMALL=1
# The example runs without the kernel, so the drain also uses the main stack.
MAIN_STACK := 1536
