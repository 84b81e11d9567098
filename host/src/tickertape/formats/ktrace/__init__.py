"""Kernel trace of RTL-POSIX-Trace: display files of Kiwi and text, writer."""
