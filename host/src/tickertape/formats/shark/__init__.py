"""Files and packets of the S.Ha.R.K. tracer: reader and writer."""
