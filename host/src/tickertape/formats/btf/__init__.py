"""Best Trace Format: reader, writer and checker. The checker knows no tape."""
