FACADES := shark
EXAMPLE_DEFINES := TT_CONFIG_STREAMS=2 TT_CONFIG_BUFFERS=8 TT_CONFIG_BUFFER_RECORDS=64
EXAMPLE_SOURCES := examples/common/trc_load.c
FACADE_SOURCES := examples/common/trc_port.c
# What `tickertape run` takes when nobody says a link.
TRACE_LINK := udp
