"""What happened in the kernel: threads, their names, and who had which CPU when."""
