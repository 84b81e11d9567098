/*
 * tickertape/stream.h - streams that have a public name, so that hosts find and read them.
 *
 * A façade that creates streams names them; NAME frames announce the name, and a host attaches to a
 * stream by it (command STREAM_ATTACH). From then on the drain sends the records of the stream
 * without waiting until a buffer is full (tt_flush_attached()). Needs TT_CONFIG_STREAM_NAMES.
 */
#ifndef TICKERTAPE_STREAM_H
#define TICKERTAPE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/api.h"
#include "tickertape/config.h"
#include "tickertape/wire.h"

TT_API_BEGIN

/*
 * Give a stream a name, which is copied and cut to TT_CONFIG_STREAM_NAME_BYTES - 1 bytes. NULL
 * removes the name and detaches all hosts: the stream is destroyed, and a later name of the same
 * number is another stream. The drain announces the name in its next steps. Threads. Masked: 128
 * for a name of 15 bytes. Returns TT_OK, or TT_ERROR_ARGUMENT for a stream out of range or an empty
 * name.
 */
TT_API int tt_name_stream(uint32_t stream, const char *name) TT_WITHOUT(TT_OK);

/* Return the name of a stream, or NULL if it has none; valid until the stream is named again. Any
 * context. Masked: 0. */
TT_API const char *tt_stream_name(uint32_t stream) TT_WITHOUT(NULL);

/* Return how often a stream was named since tt_init(); 0: never. Any context. Masked: 0. */
TT_API uint32_t tt_stream_generation(uint32_t stream) TT_WITHOUT(0);

/* Return the number of the stream with this name of `name_bytes` bytes (no terminating zero), or
 * TT_ERROR_ARGUMENT if no stream has it. Any context. Masked: 0. */
TT_API int tt_stream_by_name(const char *name, uint32_t name_bytes) TT_WITHOUT(TT_ERROR_ARGUMENT);

/*
 * Attach a host to a stream (`attach` true): the drain sends its buffers. Detach it (false): the
 * drain leaves them in their rings (tt_pause_drain()). Executes the commands STREAM_ATTACH and
 * STREAM_DETACH. Any context. Masked: 0. Returns TT_OK, or TT_ERROR_ARGUMENT for a stream without a
 * name.
 */
TT_API int tt_stream_attach(uint32_t stream, bool attach) TT_WITHOUT(TT_ERROR_ARGUMENT);

/* Return true while a host is attached to the stream. Any context. Masked: 0. */
TT_API bool tt_stream_attached(uint32_t stream) TT_WITHOUT(false);

/*
 * Close the open buffers of all attached streams (tt_flush_all()), so that the drain sends them.
 * The drain thread calls it at the interval for which a host may wait for an event; each call costs
 * a frame.
 */
TT_API void tt_flush_attached(void) TT_WITHOUT();

/*
 * Function that executes commands unknown to the recorder, such as STREAM_ATTRIBUTE. It writes the
 * values of the reply and returns TT_OK, or refuses with a tt_result_t, TT_ERROR_UNKNOWN for an
 * unknown command. Runs in the drain, once for each command; must not block.
 */
typedef int (*tt_answer_t)(void *context, const tt_wire_command_t *command, const uint8_t *payload,
                           uint32_t payload_bytes, tt_wire_reply_t *reply);

/* Set the function that executes these commands. NULL removes it, and so does tt_init(). Call it
 * before the drain runs. */
TT_API void tt_set_answer(tt_answer_t answer, void *context) TT_WITHOUT();

TT_API_END

#endif
