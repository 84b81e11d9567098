# The kernel as a Linux program: BOARD=native. SANITIZE=address,undefined or SANITIZE=thread.
CROSS :=
PORT := native
OUTPUT_SUFFIX :=

# The trace identifies objects by the low 32 bits of their address. Without PIE these are the whole
# address, the same in every run and equal to that in the symbol table.
TARGET_FLAGS := -fno-pie -D_GNU_SOURCE
TARGET_LDFLAGS := -no-pie -pthread
