"""Feeds damaged input to every decoder; `python -m tools.fuzz` runs it for a bounded time."""
