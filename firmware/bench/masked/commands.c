/* Commands from the host, as the drain executes them, and the view of QNX. */
#include "frame.h"
#include "sites.h"
#include "tickertape/filter.h"
#include "tickertape/qnx.h"

static const uint32_t some_words[4];

/* Bytes from the host: stored, and already taken by the drain. */
static struct {
    uint8_t bytes[128];
    uint32_t count;
    uint32_t taken;
} host;

static void put_for_drain(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    for (uint32_t i = 0; i < count && host.count < sizeof host.bytes; i++) {
        host.bytes[host.count++] = bytes[i];
    }
}

uint32_t commands_get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    uint32_t given = 0;
    while (given < count && host.taken < host.count) {
        bytes[given++] = host.bytes[host.taken++];
    }
    return given;
}

/* Commands from the host, as the drain executes them. -------------------------------------------
 */

static uint32_t room_for_drain(void *context)
{
    (void)context;
    return sizeof host.bytes - host.count;
}

static void send(tt_command_t number, uint32_t arg0, uint32_t arg1)
{
    static const tt_link_t to_drain = {.room_bytes = room_for_drain, .put = put_for_drain};
    static uint32_t id;
    const tt_wire_frame_header_t header = {.type = TT_FRAME_TYPE_COMMAND};
    const tt_wire_command_t command = {
        .id = ++id, .command = (uint8_t)number, .stream = LAST, .arg0 = arg0, .arg1 = arg1};
    tt_frame_t frame;
    host.count = 0;
    host.taken = 0;
    tt_frame_begin(&frame, &to_drain, &header);
    (void)tt_frame_add(&frame, &command, sizeof command);
    if (number >= TT_COMMAND_INSERT_BYTES) {
        (void)tt_frame_add(&frame, some_text, sizeof some_text - 1u);
    }
    (void)tt_frame_end(&frame);
}

#define COMMAND(name, arg0, arg1) SITE(command_##name, send(TT_COMMAND_##name, arg0, arg1); drain())

COMMAND(HELLO, 0, 0)
COMMAND(START, 0, 0)
COMMAND(STOP, 0, 0)
COMMAND(FLUSH, 0, 0)
COMMAND(STATUS, 0, 0)
COMMAND(CLASSES, 0, 0)
COMMAND(ADD_ALL, 0, 0)
COMMAND(DEL_ALL, 0, 0)
COMMAND(ADD_CLASS, TT_CLASS_KERCALL, 0)
COMMAND(DEL_CLASS, TT_CLASS_KERCALL, 0)
COMMAND(ADD_EVENT, TT_CLASS_USER, 3)
COMMAND(DEL_EVENT, TT_CLASS_USER, 3)
COMMAND(THREAD_FILTER, TT_CLASS_KERCALL, TT_EVERY_EVENT)
COMMAND(FAST, TT_CLASS_KERCALL, TT_EVERY_EVENT)
COMMAND(WIDE, TT_CLASS_KERCALL, TT_EVERY_EVENT)
COMMAND(POLICY, TT_POLICY_DROP, 0)
COMMAND(INSERT, TT_CLASS_USER, 3)
COMMAND(SHED, 1u << TT_CLASS_USER, 1)
COMMAND(PACKING, 1, 0)
COMMAND(INSERT_BYTES, TT_CLASS_USER, 3)
COMMAND(SUBSCRIBE, 0, 0)
COMMAND(LOST, 0, 0)
COMMAND(EVENT_OPEN, 0, 0)
COMMAND(STREAM_ATTACH, 0, 0)
COMMAND(STREAM_ATTRIBUTE, 0, 0)
COMMAND(STREAM_DETACH, 0, 0)

/* The view of QNX. ------------------------------------------------------------------------------
 */

static int pass_qnx(event_data_t *data)
{
    return data->el_num > 0u;
}

static event_data_t qnx_area;

/* clang-format off */
SITE(TraceEvent,
     (void)TraceEvent(_NTO_TRACE_DELALLCLASSES);
     (void)TraceEvent(_NTO_TRACE_ADDALLCLASSES);
     (void)TraceEvent(_NTO_TRACE_ADDCLASS, _NTO_TRACE_THREAD);
     (void)TraceEvent(_NTO_TRACE_DELCLASS, _NTO_TRACE_THREAD);
     (void)TraceEvent(_NTO_TRACE_ADDEVENT, _NTO_TRACE_USER, 3u);
     (void)TraceEvent(_NTO_TRACE_DELEVENT, _NTO_TRACE_USER, 3u);
     (void)TraceEvent(_NTO_TRACE_SETALLCLASSESWIDE);
     (void)TraceEvent(_NTO_TRACE_SETALLCLASSESFAST);
     (void)TraceEvent(_NTO_TRACE_SETCLASSWIDE, _NTO_TRACE_KERCALL);
     (void)TraceEvent(_NTO_TRACE_SETCLASSFAST, _NTO_TRACE_KERCALL);
     (void)TraceEvent(_NTO_TRACE_SETEVENTWIDE, _NTO_TRACE_USER, 3u);
     (void)TraceEvent(_NTO_TRACE_SETEVENTFAST, _NTO_TRACE_USER, 3u);
     (void)TraceEvent(_NTO_TRACE_SETCLASSPID, _NTO_TRACE_KERCALL, 1);
     (void)TraceEvent(_NTO_TRACE_SETCLASSTID, _NTO_TRACE_KERCALL, 1, 2);
     (void)TraceEvent(_NTO_TRACE_CLRCLASSTID, _NTO_TRACE_KERCALL);
     (void)TraceEvent(_NTO_TRACE_SETEVENTPID, _NTO_TRACE_USER, 3u, 1);
     (void)TraceEvent(_NTO_TRACE_CLREVENTPID, _NTO_TRACE_USER, 3u);
     (void)TraceEvent(_NTO_TRACE_ADDCLASSEVHANDLER, _NTO_TRACE_USER, pass_qnx, &qnx_area);
     (void)TraceEvent(_NTO_TRACE_DELCLASSEVHANDLER, _NTO_TRACE_USER);
     (void)TraceEvent(_NTO_TRACE_SETLINEARMODE);
     (void)TraceEvent(_NTO_TRACE_SETRINGMODE);
     (void)TraceEvent(_NTO_TRACE_ADDALLCLASSES);
     (void)TraceEvent(_NTO_TRACE_STARTNOSTATE);
     TIMES((void)TraceEvent(_NTO_TRACE_INSERTSUSEREVENT, 3, i, i))
     TIMES((void)TraceEvent(_NTO_TRACE_INSERTCUSEREVENT, 3, some_words, 4))
     TIMES((void)TraceEvent(_NTO_TRACE_INSERTUSRSTREVENT, 3, some_text))
     (void)TraceEvent(_NTO_TRACE_QUERYEVENTS);
     (void)TraceEvent(_NTO_TRACE_FLUSHBUFFER);
     (void)TraceEvent(_NTO_TRACE_STOP);
     (void)TraceEvent(_NTO_TRACE_START))
/* clang-format on */

/* The commands act on the last stream, which has records. */
void commands(void)
{
    begin_and_start(TT_POLICY_OVERWRITE);
    (void)tt_select_all(LAST, true);
    has_room = true;
    drain();
    site_command_HELLO();
    site_command_START();
    fill(RECORDS + 3u);
    site_command_STATUS();
    site_command_CLASSES();
    site_command_DEL_CLASS();
    site_command_ADD_CLASS();
    site_command_DEL_EVENT();
    site_command_ADD_EVENT();
    site_command_THREAD_FILTER();
    site_command_WIDE();
    site_command_FAST();
    site_command_SHED();
    site_command_PACKING();
    for (uint32_t i = 0; i < 20u; i++) {
        site_command_INSERT();
        site_command_INSERT_BYTES();
    }
    site_command_SUBSCRIBE();
    site_command_LOST();
    site_command_EVENT_OPEN();
    site_command_STREAM_ATTACH();
    site_command_STREAM_ATTRIBUTE();
    site_command_STREAM_DETACH();
    fill(RECORDS + 3u);
    site_command_FLUSH();
    site_command_DEL_ALL();
    site_command_ADD_ALL();
    site_command_STOP();
    site_command_POLICY();
}

void qnx(void)
{
    begin(TT_POLICY_OVERWRITE);
    site_TraceEvent();
}
