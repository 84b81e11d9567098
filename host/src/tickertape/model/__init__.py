"""The model of the kernel: threads, their names, and the owner of each CPU over time."""
