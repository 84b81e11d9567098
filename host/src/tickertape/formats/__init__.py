"""Files of other tools: one package per format, reader and writer side by side."""
