/*
 * tickertape/config.h - every option of the recorder with unit, range and default.
 *
 * Override an option on the compiler's command line (-DTT_CONFIG_...=...) or in a header named by
 * -DTT_CONFIG_FILE="\"my_config.h\"". Nothing else in the firmware reads the command line.
 */
#ifndef TICKERTAPE_CONFIG_H
#define TICKERTAPE_CONFIG_H

#ifdef TT_CONFIG_FILE
#include TT_CONFIG_FILE
#endif

/* 1: the tracer is built in. 0: every hook and emitter is an empty function; no code, no data. */
#ifndef TT_CONFIG_ENABLED
#define TT_CONFIG_ENABLED 1
#endif

/* 1: defaults for parts with some 16 KiB of memory: 2 KiB of records, raw buffers, one filter, the
 * small CRC table, commands without payload, links with memory of their own only. An option that is
 * set explicitly takes precedence. */
#ifndef TT_CONFIG_SMALL
#define TT_CONFIG_SMALL 0
#endif
#if TT_CONFIG_SMALL
#ifndef TT_CONFIG_BUFFERS
#define TT_CONFIG_BUFFERS 4
#endif
#ifndef TT_CONFIG_BUFFER_RECORDS
#define TT_CONFIG_BUFFER_RECORDS 32
#endif
#ifndef TT_CONFIG_PACKING
#define TT_CONFIG_PACKING 0
#endif
#ifndef TT_CONFIG_SMALL_PACKING
#define TT_CONFIG_SMALL_PACKING 1
#endif
#ifndef TT_CONFIG_CRC_TABLE
#define TT_CONFIG_CRC_TABLE 64
#endif
#ifndef TT_CONFIG_COPYING_LINK
#define TT_CONFIG_COPYING_LINK 0
#endif
#ifndef TT_CONFIG_FILTERS
#define TT_CONFIG_FILTERS 1
#endif
#ifndef TT_CONFIG_HANDLER_RUNS
#define TT_CONFIG_HANDLER_RUNS 1
#endif
#ifndef TT_CONFIG_COMMAND_PAYLOAD_BYTES
#define TT_CONFIG_COMMAND_PAYLOAD_BYTES 0
#endif
#endif

/* Classes that are built in: bit c for class c. Emitters of the others are empty. */
#ifndef TT_CONFIG_CLASSES
#define TT_CONFIG_CLASSES 0xffffffffu
#endif

/* CPUs that record, 1-8. Each has its own rings, unless TT_CONFIG_READERS is 1. */
#ifndef TT_CONFIG_CPUS
#define TT_CONFIG_CPUS 1
#endif

/* Streams, 1-8. With 7 or 8 the table of routes takes twice the memory, 644 bytes. */
#ifndef TT_CONFIG_STREAMS
#define TT_CONFIG_STREAMS 1
#endif

/* Buffers in each ring, 2-255. Memory of a ring: buffers * (records * 16 + 48) bytes. */
#ifndef TT_CONFIG_BUFFERS
#define TT_CONFIG_BUFFERS 8
#endif

/* Records in each buffer, 16-4000 and a multiple of 8. */
#ifndef TT_CONFIG_BUFFER_RECORDS
#define TT_CONFIG_BUFFER_RECORDS 128
#endif

/* Fill of a buffer at which the drain is woken, percent, 1-100. */
#ifndef TT_CONFIG_HIGH_WATER_PERCENT
#define TT_CONFIG_HIGH_WATER_PERCENT 80
#endif

/* 1: the drain can send buffers packed, at about 4.5 bytes an event; costs about 3 KiB of code and
 * TT_CONFIG_BUFFER_RECORDS * 2 + 1.6 KiB of memory (TT_CONFIG_SMALL_PACKING). 0: raw buffers only.
 */
#ifndef TT_CONFIG_PACKING
#define TT_CONFIG_PACKING 1
#endif

/* 1: the tables of packing contain numbers instead of addresses. Packing then takes 0.9 KiB less
 * memory, 0.6 KiB less code, and about 60 instructions more for a record. All files of the recorder
 * need the same value. */
#ifndef TT_CONFIG_SMALL_PACKING
#define TT_CONFIG_SMALL_PACKING 0
#endif

/* Largest number of records that one step of the drain sends, 0-4000; 0: a whole buffer. A smaller
 * number makes a step shorter; a link then needs less room (TT_LINK_LEAST_BYTES) and packing less
 * memory. Each part of a buffer is packed by itself: below about 32 records it takes as many bytes
 * as raw ones. */
#ifndef TT_CONFIG_DRAIN_SLICE
#define TT_CONFIG_DRAIN_SLICE 0
#endif

/* Bytes of constants for the CRC of frames, 64 or 1024. With 64 the drain takes about 3
 * instructions more for each byte that it sends. */
#ifndef TT_CONFIG_CRC_TABLE
#define TT_CONFIG_CRC_TABLE 1024
#endif

/* 1: a link may have no memory of its own (tt_link_t.acquire is NULL); 256 bytes of memory. 0:
 * tt_init() refuses such a link. */
#ifndef TT_CONFIG_COPYING_LINK
#define TT_CONFIG_COPYING_LINK 1
#endif

/* 1: a link may be memory that a debug probe or another core reads (tt_link_t.plain); about 500
 * bytes of code. 0: every frame has a CRC and COBS. */
#ifndef TT_CONFIG_MEMORY_LINK
#define TT_CONFIG_MEMORY_LINK 0
#endif

/* Filters by thread and handlers that may be set at a time, 1-255; 16 bytes each. */
#ifndef TT_CONFIG_FILTERS
#define TT_CONFIG_FILTERS 8
#endif

/* Threads and interrupts that may be inside a handler at a time, because they switch or interrupt
 * each other there, 1-255; 8 bytes each. Events of any further one are recorded without calling
 * handlers. */
#ifndef TT_CONFIG_HANDLER_RUNS
#define TT_CONFIG_HANDLER_RUNS 8
#endif

/* Event masks, 0-1024; 4 bytes each. An event that shares an entry of the route table (those beyond
 * the dictionary: USER from 32, TRC from 23, the classes from 16 on) needs one while its selection
 * differs from that of the other events of the entry. With 0, selecting such an event selects all
 * events of its entry. The views of S.Ha.R.K. and xmtrace check that there are enough. */
#ifndef TT_CONFIG_EVENT_MASKS
#define TT_CONFIG_EVENT_MASKS 0
#endif

/* Bytes that may follow a command of the host, 0-192. A command with a longer payload gets no
 * reply. With 0 these are the commands that insert bytes, open an event type or a stream by name,
 * and those of POSIX Trace. */
#ifndef TT_CONFIG_COMMAND_PAYLOAD_BYTES
#define TT_CONFIG_COMMAND_PAYLOAD_BYTES 192
#endif

/* Event types that can be defined while the program runs (tickertape/define.h), 0-255, and the
 * bytes of a name, including the terminating zero, 2-64. */
#ifndef TT_CONFIG_DEFINITIONS
#define TT_CONFIG_DEFINITIONS 0
#endif
#ifndef TT_CONFIG_DEFINITION_NAME_BYTES
#define TT_CONFIG_DEFINITION_NAME_BYTES 30
#endif

/* 1: streams can have public names (tickertape/stream.h); 0: they have numbers only. Bytes of a
 * name, including the terminating zero, 2-64. */
#ifndef TT_CONFIG_STREAM_NAMES
#define TT_CONFIG_STREAM_NAMES 0
#endif
#ifndef TT_CONFIG_STREAM_NAME_BYTES
#define TT_CONFIG_STREAM_NAME_BYTES 16
#endif

/* 1: streams may have policy FINALIZE or FINALIZE_FREE (tt_finalize()). */
#ifndef TT_CONFIG_FINALIZE
#define TT_CONFIG_FINALIZE 0
#endif

/* 1: streams can be read on the target itself (tickertape/read.h). All CPUs then record into one
 * ring of a stream, so with several the port's lock has to exclude all of them
 * (TT_PORT_LOCKS_ALL_CPUS). Excludes TT_CONFIG_FINALIZE. */
#ifndef TT_CONFIG_READERS
#define TT_CONFIG_READERS 0
#endif

/* Rings of a stream: one for each CPU, or one for all. */
#if TT_CONFIG_READERS
#define TT_RING_CPUS 1
#else
#define TT_RING_CPUS TT_CONFIG_CPUS
#endif

/* 1: a debug probe may take the place of the drain while the program runs (docs/probe.md): it
 * requests the buffers of all streams, the drain leaves them to it, and tt_clock_poll() closes an
 * open buffer that the probe requests. Excludes TT_CONFIG_READERS. */
#ifndef TT_CONFIG_PROBE
#define TT_CONFIG_PROBE 0
#endif

/* 1: the kernel calls its hooks outside its locks, so the order of events of different CPUs may
 * differ from the order of the operations. Sets a HELLO flag; host checks then treat cross-CPU
 * order as unknown. */
#ifndef TT_CONFIG_HOOKS_OUTSIDE_LOCKS
#define TT_CONFIG_HOOKS_OUTSIDE_LOCKS 0
#endif

/* 1 to 255: the kernel does not preempt threads of this or a higher priority, nor any that holds
 * its scheduler; 0: it preempts all. Sets a HELLO flag; host checks then expect such threads to
 * continue when one of higher priority is ready. */
#ifndef TT_CONFIG_COOPERATIVE_PRIORITY
#define TT_CONFIG_COOPERATIVE_PRIORITY 0
#endif

/* Flags of HELLO (wire.h) for these two options. */
#define TT_HELLO_FLAGS                                                                             \
    ((TT_CONFIG_HOOKS_OUTSIDE_LOCKS ? TT_HELLO_FLAG_HOOKS_OUTSIDE_LOCKS : 0u) |                    \
     (TT_CONFIG_COOPERATIVE_PRIORITY > 0                                                           \
          ? TT_HELLO_FLAG_COOPERATIVE | (uint32_t)TT_CONFIG_COOPERATIVE_PRIORITY << 8              \
          : 0u))

/* Default policy of a stream when every buffer is full, a tt_policy_t. */
#ifndef TT_CONFIG_POLICY
#define TT_CONFIG_POLICY TT_POLICY_DROP
#endif

#endif
