/*
 * tickertape/renamed.h - names of the previous release, kept for one release.
 *
 * CHANGELOG.md has the table of old and new names. Define TT_NO_OLD_NAMES to find their uses.
 */
#ifndef TICKERTAPE_RENAMED_H
#define TICKERTAPE_RENAMED_H

#ifndef TT_NO_OLD_NAMES

#define tt_take           tt_acquire_buffer
#define tt_give_back      tt_release_buffer
#define tt_hold           tt_pause_drain
#define tt_set_tap        tt_set_buffer_callback
#define tt_tap_t          tt_buffer_callback_t
#define tt_tapped_t       tt_sent_buffer_t
#define tt_stream_namings tt_stream_generation

#endif

#endif
