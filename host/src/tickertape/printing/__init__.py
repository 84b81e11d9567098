"""Events as lines: text, CSV, JSON lines and the layouts of other printers."""
