"""Read a firmware's ELF file: build ID, names of code and data, types and source lines."""
