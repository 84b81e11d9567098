"""Static gates of the project; `python -m tools.check` runs all of them."""
