FACADES := shark
EXAMPLE_DEFINES := TT_CONFIG_STREAMS=2 TT_CONFIG_BUFFERS=8 TT_CONFIG_BUFFER_RECORDS=64 \
                   TRC_TYPES_FILE=\"disk.h\"
EXAMPLE_SOURCES := examples/common/trc_load.c
FACADE_SOURCES := examples/common/trc_port.c
INCLUDE_DIRS += $(SOURCE_DIR)
