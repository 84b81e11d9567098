"""Contents of an ELF file of a firmware: build id, names of code and objects."""
