"""Answers about time: instances of tasks and interrupts, the known parts of each, statistics."""
