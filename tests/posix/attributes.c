/* Attributes: a row for each getter and setter. */
#include <errno.h>
#include <string.h>
#include <trace.h>

#include "side.h"

static trace_attr_t attr;
static trace_attr_t never;

static const struct number_row {
    const char *getter;
    const char *setter;
    int (*get)(const trace_attr_t *restrict attr, int *restrict value);
    int (*set)(trace_attr_t *attr, int value);
    int standard;
    int values[4]; /* valid values, -1 after the last */
} numbers[] = {
    {"attr_getinherited",
     "attr_setinherited",
     posix_trace_attr_getinherited,
     posix_trace_attr_setinherited,
     POSIX_TRACE_CLOSE_FOR_CHILD,
     {POSIX_TRACE_INHERITED, POSIX_TRACE_CLOSE_FOR_CHILD, -1, -1}},
    {"attr_getlogfullpolicy",
     "attr_setlogfullpolicy",
     posix_trace_attr_getlogfullpolicy,
     posix_trace_attr_setlogfullpolicy,
     POSIX_TRACE_LOOP,
     {POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, POSIX_TRACE_LOOP, -1}},
    {"attr_getstreamfullpolicy",
     "attr_setstreamfullpolicy",
     posix_trace_attr_getstreamfullpolicy,
     posix_trace_attr_setstreamfullpolicy,
     POSIX_TRACE_LOOP,
     {POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_FLUSH, POSIX_TRACE_LOOP, -1}},
};

static void check_number(const struct number_row *row)
{
    int value = -2;
    (void)posix_trace_attr_init(&attr);
    CHECK(row->getter, "returns 0", row->get(&attr, &value) == 0);
    CHECK(row->getter, "the default is the standard's", value == row->standard);
    CHECK(row->getter, "EINVAL for no attributes", row->get(&never, &value) == EINVAL);
    for (int i = 0; row->values[i] >= 0; i++) {
        CHECK(row->setter, "takes each value", row->set(&attr, row->values[i]) == 0);
        value = -2;
        (void)row->get(&attr, &value);
        CHECK(row->getter, "gives what was set", value == row->values[i]);
    }
    CHECK(row->setter, "EINVAL for a negative value", row->set(&attr, -1) == EINVAL);
    CHECK(row->setter, "EINVAL for a value that is none", row->set(&attr, 17) == EINVAL);
    int after = -2;
    (void)row->get(&attr, &after);
    CHECK(row->setter, "a refused value changes nothing", after == value);
    CHECK(row->setter, "EINVAL for no attributes", row->set(&never, row->values[0]) == EINVAL);
}

static const struct size_row {
    const char *getter;
    const char *setter;
    int (*get)(const trace_attr_t *restrict attr, size_t *restrict value);
    int (*set)(trace_attr_t *attr, size_t value);
} sizes[] = {
    {"attr_getlogsize", "attr_setlogsize", posix_trace_attr_getlogsize,
     posix_trace_attr_setlogsize},
    {"attr_getmaxdatasize", "attr_setmaxdatasize", posix_trace_attr_getmaxdatasize,
     posix_trace_attr_setmaxdatasize},
    {"attr_getstreamsize", "attr_setstreamsize", posix_trace_attr_getstreamsize,
     posix_trace_attr_setstreamsize},
};

static void check_size(const struct size_row *row)
{
    static const size_t values[] = {0, 1, 100, 4096};
    size_t value = 0;
    (void)posix_trace_attr_init(&attr);
    CHECK(row->getter, "returns 0", row->get(&attr, &value) == 0);
    CHECK(row->getter, "the default is not nothing", value > 0u);
    CHECK(row->getter, "EINVAL for no attributes", row->get(&never, &value) == EINVAL);
    CHECK(row->setter, "EINVAL for no attributes", row->set(&never, 1) == EINVAL);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        CHECK(row->setter, "takes a size", row->set(&attr, values[i]) == 0);
        value = 12345;
        (void)row->get(&attr, &value);
        CHECK(row->getter, "gives what was set", value == values[i]);
    }
}

static void check_names(void)
{
    char name[TRACE_NAME_MAX];
    char longer[TRACE_NAME_MAX + 9];
    (void)posix_trace_attr_init(&attr);
    memset(name, 'x', sizeof name);
    CHECK("attr_getname", "returns 0", posix_trace_attr_getname(&attr, name) == 0);
    CHECK("attr_getname", "the default is empty", name[0] == '\0');
    CHECK("attr_setname", "returns 0", posix_trace_attr_setname(&attr, "a name") == 0);
    (void)posix_trace_attr_getname(&attr, name);
    CHECK("attr_getname", "gives what was set", strcmp(name, "a name") == 0);
    memset(longer, 'y', sizeof longer);
    longer[sizeof longer - 1u] = '\0';
    CHECK("attr_setname", "takes a name that is too long",
          posix_trace_attr_setname(&attr, longer) == 0);
    (void)posix_trace_attr_getname(&attr, name);
    CHECK("attr_setname", "cuts it to TRACE_NAME_MAX - 1 bytes",
          strlen(name) == TRACE_NAME_MAX - 1u && name[0] == 'y');
    (void)posix_trace_attr_setname(&attr, "");
    (void)posix_trace_attr_getname(&attr, name);
    CHECK("attr_setname", "an empty name takes it away", name[0] == '\0');
    CHECK("attr_setname", "EINVAL for no attributes",
          posix_trace_attr_setname(&never, "a") == EINVAL);
    CHECK("attr_setname", "EINVAL for no name", posix_trace_attr_setname(&attr, NULL) == EINVAL);
    CHECK("attr_getname", "EINVAL for no attributes",
          posix_trace_attr_getname(&never, name) == EINVAL);
    memset(name, 'x', sizeof name);
    CHECK("attr_getgenversion", "returns 0", posix_trace_attr_getgenversion(&attr, name) == 0);
    CHECK("attr_getgenversion", "is the implementation's",
          strncmp(name, "tickertape", strlen("tickertape")) == 0);
    CHECK("attr_getgenversion", "fits into TRACE_NAME_MAX bytes",
          memchr(name, '\0', sizeof name) != NULL);
    CHECK("attr_getgenversion", "EINVAL for no attributes",
          posix_trace_attr_getgenversion(&never, name) == EINVAL);
}

static void check_times(void)
{
    struct timespec time = {-1, -1};
    (void)posix_trace_attr_init(&attr);
    CHECK("attr_getclockres", "returns 0", posix_trace_attr_getclockres(&attr, &time) == 0);
    CHECK("attr_getclockres", "is less than a second and not 0",
          time.tv_sec == 0 && time.tv_nsec > 0 && time.tv_nsec < 1000000000);
    CHECK("attr_getclockres", "EINVAL for no attributes",
          posix_trace_attr_getclockres(&never, &time) == EINVAL);
    CHECK("attr_getcreatetime", "returns 0", posix_trace_attr_getcreatetime(&attr, &time) == 0);
    CHECK("attr_getcreatetime", "EINVAL for no attributes",
          posix_trace_attr_getcreatetime(&never, &time) == EINVAL);
}

static void check_event_sizes(void)
{
    size_t system = 0;
    size_t none = 0;
    size_t some = 0;
    size_t most = 0;
    size_t more = 0;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setmaxdatasize(&attr, 64);
    CHECK("attr_getmaxsystemeventsize", "returns 0",
          posix_trace_attr_getmaxsystemeventsize(&attr, &system) == 0);
    CHECK("attr_getmaxsystemeventsize", "is not nothing", system > 0u);
    CHECK("attr_getmaxsystemeventsize", "EINVAL for no attributes",
          posix_trace_attr_getmaxsystemeventsize(&never, &system) == EINVAL);
    CHECK("attr_getmaxusereventsize", "returns 0",
          posix_trace_attr_getmaxusereventsize(&attr, 0, &none) == 0);
    CHECK("attr_getmaxusereventsize", "an event without data takes room", none > 0u);
    (void)posix_trace_attr_getmaxusereventsize(&attr, 33, &some);
    (void)posix_trace_attr_getmaxusereventsize(&attr, 64, &most);
    (void)posix_trace_attr_getmaxusereventsize(&attr, 1000, &more);
    CHECK("attr_getmaxusereventsize", "grows with the data", some >= none + 33u && most > some);
    CHECK("attr_getmaxusereventsize", "data beyond max-data-size take no room", more == most);
    CHECK("attr_getmaxusereventsize", "EINVAL for no attributes",
          posix_trace_attr_getmaxusereventsize(&never, 1, &none) == EINVAL);
}

static void check_life(void)
{
    trace_attr_t other;
    int value;
    CHECK("attr_init", "returns 0", posix_trace_attr_init(&attr) == 0);
    CHECK("attr_init", "EINVAL for no place", posix_trace_attr_init(NULL) == EINVAL);
    other = attr;
    CHECK("attr_init", "a copy is as good", posix_trace_attr_getinherited(&other, &value) == 0);
    CHECK("attr_destroy", "returns 0", posix_trace_attr_destroy(&attr) == 0);
    CHECK("attr_destroy", "a getter returns EINVAL afterwards",
          posix_trace_attr_getinherited(&attr, &value) == EINVAL);
    CHECK("attr_destroy", "EINVAL the second time", posix_trace_attr_destroy(&attr) == EINVAL);
    CHECK("attr_destroy", "EINVAL for no attributes", posix_trace_attr_destroy(&never) == EINVAL);
    CHECK("attr_init", "makes it good again",
          posix_trace_attr_init(&attr) == 0 && posix_trace_attr_getinherited(&attr, &value) == 0);
}

void suite_attributes(void)
{
    check_life();
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        check_number(&numbers[i]);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check_size(&sizes[i]);
    }
    check_names();
    check_times();
    check_event_sizes();
}
