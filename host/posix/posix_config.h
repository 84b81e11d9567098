/* Options of the recorder in a Linux process. */

/* Select the <trace.h> of processes: events also go to a target that a broker serves. */
#define TRACE_OF_PROCESSES 1

#define TT_CONFIG_STREAMS               8
#define TT_CONFIG_BUFFERS               64
#define TT_CONFIG_BUFFER_RECORDS        512
#define TT_CONFIG_PACKING               0
#define TT_CONFIG_READERS               1
#define TT_CONFIG_DEFINITIONS           32
#define TT_CONFIG_DEFINITION_NAME_BYTES 32
#define TT_POSIX_OPEN_LOGS              16
#define TT_POSIX_STREAM_BYTES           65536
