"""Common Trace Format 1.8 and 2: writer."""
