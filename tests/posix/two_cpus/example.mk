FACADES := posix
EXAMPLE_DEFINES := TT_CONFIG_STREAMS=8 TT_CONFIG_BUFFERS=8 TT_CONFIG_BUFFER_RECORDS=128 \
                   TT_CONFIG_READERS=1 TT_CONFIG_STREAM_NAMES=1 TT_CONFIG_STREAM_NAME_BYTES=32 \
                   TT_CONFIG_DEFINITIONS=32 TT_CONFIG_DEFINITION_NAME_BYTES=32
EXAMPLE_SOURCES := examples/common/posix_port.c examples/common/posix_files.c \
                   facades/posix/single_process/posix_single_process.c
