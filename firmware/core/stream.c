#include "tickertape/stream.h"

#include <stddef.h>
#include <string.h>

#include "control.h"
#include "outlet.h"
#include "ring.h"
#include "tickertape/tickertape.h"

#if TT_CONFIG_STREAM_NAMES

typedef struct named {
    char name[TT_CONFIG_STREAM_NAME_BYTES]; /* empty: nobody's */
    uint32_t namings;
    bool attached;
} named_t;

static named_t streams[TT_CONFIG_STREAMS];

void tt_stream_reset(void)
{
    memset(streams, 0, sizeof streams);
}

int tt_name_stream(uint32_t stream, const char *name)
{
    if (stream >= TT_CONFIG_STREAMS || (name != NULL && name[0] == '\0')) {
        return TT_ERROR_ARGUMENT;
    }
    named_t *named = &streams[stream];
    size_t length = 0;
    tt_port_key_t key = tt_control_lock();
    while (name != NULL && length < sizeof named->name - 1u && name[length] != '\0') {
        named->name[length] = name[length];
        length++;
    }
    memset(named->name + length, 0, sizeof named->name - length);
    named->namings += name != NULL;
    named->attached = false;
    tt_control_unlock(key);
    tt_announce_ask(TT_ANNOUNCE_NAMES);
    return TT_OK;
}

const char *tt_stream_name(uint32_t stream)
{
    return stream < TT_CONFIG_STREAMS && streams[stream].name[0] != '\0' ? streams[stream].name
                                                                         : NULL;
}

uint32_t tt_stream_namings(uint32_t stream)
{
    return stream < TT_CONFIG_STREAMS ? streams[stream].namings : 0u;
}

int tt_stream_by_name(const char *name, uint32_t name_bytes)
{
    for (uint32_t i = 0; i < TT_CONFIG_STREAMS && name_bytes > 0u; i++) {
        const named_t *named = &streams[i];
        if (name_bytes < sizeof named->name && named->name[name_bytes] == '\0' &&
            memcmp(named->name, name, name_bytes) == 0) {
            return (int)i;
        }
    }
    return TT_ERROR_ARGUMENT;
}

int tt_stream_attach(uint32_t stream, bool attach)
{
    if (tt_stream_name(stream) == NULL) {
        return TT_ERROR_ARGUMENT;
    }
    streams[stream].attached = attach;
    return tt_hold(stream, !attach);
}

bool tt_stream_attached(uint32_t stream)
{
    return stream < TT_CONFIG_STREAMS && streams[stream].attached;
}

void tt_flush_attached(void)
{
    for (uint32_t i = 0; i < TT_CONFIG_STREAMS; i++) {
        if (streams[i].attached) {
            tt_flush_all(i);
        }
    }
}

#else

void tt_stream_reset(void)
{
}

int tt_name_stream(uint32_t stream, const char *name)
{
    (void)stream;
    (void)name;
    return TT_ERROR_STATE;
}

const char *tt_stream_name(uint32_t stream)
{
    (void)stream;
    return NULL;
}

uint32_t tt_stream_namings(uint32_t stream)
{
    (void)stream;
    return 0;
}

int tt_stream_by_name(const char *name, uint32_t name_bytes)
{
    (void)name;
    (void)name_bytes;
    return TT_ERROR_ARGUMENT;
}

int tt_stream_attach(uint32_t stream, bool attach)
{
    (void)stream;
    (void)attach;
    return TT_ERROR_ARGUMENT;
}

bool tt_stream_attached(uint32_t stream)
{
    (void)stream;
    return false;
}

void tt_flush_attached(void)
{
}

#endif
