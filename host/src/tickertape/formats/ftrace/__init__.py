"""Files of FTrace, the second tracer of the S.Ha.R.K. kernel: reader and text forms."""
