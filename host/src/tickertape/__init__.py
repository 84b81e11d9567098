"""tickertape: captures, keeps and prints what a kernel on a Cortex-M does.

The parts, from the bytes up: `protocol` (tables made from protocol/*.yaml), `link` (bytes from a
device), `decode` (bytes to records, without I/O), `tape` (the file), `collector` (link to tape),
`model` (threads and CPUs over time), `analysis`, `targets` (build and start a firmware), `cli`.
Importing this package loads none of them.
"""

__version__ = "0.1.0"
