"""What an ELF file tells about a firmware: build id, names of code and objects."""
