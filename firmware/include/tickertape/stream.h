/*
 * tickertape/stream.h - streams that have a public name, so that hosts find and read them.
 *
 * A façade that creates streams names them; NAME frames announce the name, and a host attaches to a
 * stream by it (command STREAM_ATTACH). From then on the drain sends its records, and soon: a
 * buffer does not wait until it is full. Where and how many: TT_CONFIG_STREAM_NAMES.
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
 * Give a stream a name, which is copied and cut to TT_CONFIG_STREAM_NAME_BYTES - 1 bytes; NULL
 * removes it and detaches all hosts: the stream is destroyed, and a later name of its number means
 * another stream. The drain announces the name with its next steps. Threads. Masked: 128 for a name
 * of 15 bytes. Returns TT_OK or TT_ERROR_ARGUMENT.
 */
TT_API int tt_name_stream(uint32_t stream, const char *name) TT_WITHOUT(TT_OK);

/* Its name, NULL when it has none; valid until it is named anew. Any context. Masked: 0, as the
 * functions below. */
TT_API const char *tt_stream_name(uint32_t stream) TT_WITHOUT(NULL);

/* How often it was named so far: 0 before the first time. Any context. */
TT_API uint32_t tt_stream_generation(uint32_t stream) TT_WITHOUT(0);

/* The stream of this name, without end mark; TT_ERROR_ARGUMENT when none has it. Any context. */
TT_API int tt_stream_by_name(const char *name, uint32_t name_bytes) TT_WITHOUT(TT_ERROR_ARGUMENT);

/*
 * Let the drain send what the stream has, or leave it in its rings again (tt_pause_drain()):
 * commands STREAM_ATTACH and STREAM_DETACH. Any context. Returns TT_OK or TT_ERROR_ARGUMENT.
 */
TT_API int tt_stream_attach(uint32_t stream, bool attach) TT_WITHOUT(TT_ERROR_ARGUMENT);

/* Whether a host has attached to the stream. Any context. */
TT_API bool tt_stream_attached(uint32_t stream) TT_WITHOUT(false);

/*
 * Close the open buffers of the streams that hosts are attached to, so that they are sent. For
 * the thread of the drain, at the interval that a host may wait for an event: each call costs a
 * frame.
 */
TT_API void tt_flush_attached(void) TT_WITHOUT();

/*
 * Answers commands that the recorder does not know, such as STREAM_ATTRIBUTE: writes the values of
 * the reply and returns TT_OK, or refuses with a tt_result_t, TT_ERROR_UNKNOWN for an unknown
 * command. Runs in the drain, once for each command; must not block.
 */
typedef int (*tt_answer_t)(void *context, const tt_wire_command_t *command, const uint8_t *payload,
                           uint32_t payload_bytes, tt_wire_reply_t *reply);

/* Set the function that answers these commands; NULL removes it, and so does tt_init(). Call it
 * before the drain runs. */
TT_API void tt_set_answer(tt_answer_t answer, void *context) TT_WITHOUT();

TT_API_END

#endif
