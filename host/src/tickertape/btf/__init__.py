"""The Best Trace Format: what a file may say, and whether it does. Knows nothing of tapes."""
