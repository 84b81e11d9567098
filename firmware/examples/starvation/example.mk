# The program leaves no time to the lowest priority, at which other examples send the trace.
EXAMPLE_DEFINES := TRACER_PRIORITY=25u
