/* trace_logf(), trace_nlogf(), trace_vnlogf(): record texts that the C library formats, as events
 * of class USER. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "tickertape/qnx.h"

int trace_vnlogf(int code, int most, const char *format, va_list arguments)
{
    char text[TT_QNX_LOG_BYTES + 1];
    uint32_t event = (uint32_t)code & TT_RECORD_EVENT_MASK;
    uint32_t route = tt_add_route(TT_CLASS_USER, event);
    if (route == 0u) {
        return 0;
    }
    int limit = most < 0 ? 0 : most < TT_QNX_LOG_BYTES ? most : TT_QNX_LOG_BYTES;
    int wanted = vsnprintf(text, (size_t)limit + 1u, format, arguments);
    if (wanted < 0) {
        return -1;
    }
    int bytes = wanted < limit ? wanted : limit;
    uint32_t flags = bytes < wanted ? TT_RECORD_TRUNCATED_MASK : 0u;
    tt_record_payload(TT_ADD_HEADER(TT_CLASS_USER, event) | flags, route, NULL, 0, text,
                      (uint32_t)bytes);
    return bytes;
}

int trace_nlogf(int code, int most, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int bytes = trace_vnlogf(code, most, format, arguments);
    va_end(arguments);
    return bytes;
}

int trace_logf(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int bytes = trace_vnlogf(code, TT_QNX_LOG_BYTES, format, arguments);
    va_end(arguments);
    return bytes;
}
