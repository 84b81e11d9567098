"""The contents of a firmware's ELF file: build id, names of code and objects."""
