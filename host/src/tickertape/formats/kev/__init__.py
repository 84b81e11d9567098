"""Kernel trace files of QNX Neutrino (`.kev`): reader and writer."""
