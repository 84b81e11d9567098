"""Feed damaged input to every decoder; `python -m tools.fuzz` does so for a bounded time."""
