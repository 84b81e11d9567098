"""Printers of events as lines: text, CSV, JSON lines, and the layouts of other tools."""
