"""Files of JTracer: reader and writer."""
