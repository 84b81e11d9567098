# The program leaves no time for the lowest priority, which the drain of other examples has.
EXAMPLE_DEFINES := TRACER_PRIORITY=25u
