"""Answers about time: instances of tasks and interrupts, what is known of them, statistics."""
