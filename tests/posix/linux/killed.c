/*
 * Kills children that trace into their parent's stream after every change of the ring: each child
 * runs instruction by instruction and ends at the n-th change of the cursor or of the two slots
 * next to it. The parent must read only traced events, completely.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trace.h>
#include <unistd.h>

#include "check.h"
#include "ring.h"

#define TRAP_FLAG  0x100u /* processor flag: a signal after each instruction */
#define OLD        0x01d00000u
#define OF_PARENT  0x77777777u
#define WORDS_MAX  8u
#define MOST_KILLS 200u

static trace_event_id_t event;
static trace_id_t trid;

/* The child's last view of ring 0. */
static struct {
    const tt_record_t *cursor;
    tt_record_t before;
    tt_record_t at;
} seen;
static unsigned changes_left;

static bool has_changed(void)
{
    const tt_record_t *cursor = tt_rings[0][0].cursor;
    bool changed = cursor != seen.cursor || memcmp(cursor - 1, &seen.before, sizeof *cursor) != 0 ||
                   memcmp(cursor, &seen.at, sizeof *cursor) != 0;
    seen.cursor = cursor;
    seen.before = cursor[-1];
    seen.at = cursor[0];
    return changed;
}

static void look(int number)
{
    (void)number;
    if (has_changed() && --changes_left == 0u) {
        (void)kill(getpid(), SIGKILL);
    }
}

static void set_stepping(bool steps)
{
    if (steps) {
        __asm volatile("pushfq; orq %0, (%%rsp); popfq" ::"i"(TRAP_FLAG) : "cc", "memory");
    } else {
        __asm volatile("pushfq; andq %0, (%%rsp); popfq" ::"i"(~(long)TRAP_FLAG) : "cc", "memory");
    }
}

static void trace(unsigned value, unsigned number, unsigned words)
{
    unsigned data[WORDS_MAX];
    for (unsigned i = 0; i < WORDS_MAX; i++) {
        data[i] = value;
    }
    data[1] = number;
    posix_trace_event(event, data, words * sizeof data[0]);
}

static void be_killed(unsigned changes, unsigned words)
{
    const struct sigaction action = {.sa_handler = look};
    (void)sigaction(SIGTRAP, &action, NULL);
    trace(changes, 1, words);
    (void)has_changed();
    changes_left = changes;
    set_stepping(true);
    trace(changes, 2, words);
    set_stepping(false);
    _exit(0);
}

typedef struct found {
    unsigned of_parent;
    unsigned of_child[3];
    unsigned invented;
    unsigned owner_died; /* POSIX_TRACE_ERROR */
} found_t;

static found_t read_all(unsigned changes, unsigned words)
{
    found_t found = {0};
    for (;;) {
        struct posix_trace_event_info info;
        unsigned data[WORDS_MAX] = {0};
        size_t bytes = 0;
        int unavailable = 0;
        if (posix_trace_trygetnext_event(trid, &info, data, sizeof data, &bytes, &unavailable) !=
                0 ||
            unavailable != 0) {
            return found;
        }
        bool whole = info.posix_event_id == event && bytes == words * sizeof data[0];
        for (unsigned i = 2; i < words; i++) {
            whole = whole && data[i] == data[0];
        }
        if (whole && data[0] == OF_PARENT && data[1] == changes) {
            found.of_parent++;
        } else if (whole && data[0] == changes && data[1] >= 1u && data[1] <= 2u) {
            found.of_child[data[1]]++;
        } else if (info.posix_event_id == event) {
            found.invented++;
        } else if (info.posix_event_id == POSIX_TRACE_ERROR) {
            found.owner_died += bytes == sizeof data[0] && data[0] == EOWNERDEAD;
        }
    }
}

/* Fill the ring with events of another length, so that the slots contain old records. */
static void fill(void)
{
    for (unsigned i = 0; i < 9000u; i++) {
        trace(OLD + i, i, 3);
        if (i % 50u == 0u) {
            (void)posix_trace_clear(trid);
        }
    }
    (void)posix_trace_clear(trid);
}

static bool kill_at(unsigned changes, unsigned words)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        be_killed(changes, words);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    trace(OF_PARENT, changes, words);
    found_t found = read_all(changes, words);
    EXPECT(found.invented == 0);
    EXPECT(found.of_parent == 1 && found.of_child[1] == 1 && found.of_child[2] <= 1);
    EXPECT(found.of_child[2] == 1 || WIFSIGNALED(status));
    EXPECT(found.owner_died == (WIFSIGNALED(status) ? 1u : 0u));
    return WIFSIGNALED(status);
}

int main(void)
{
    trace_attr_t attr;
    trace_event_set_t set;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED);
    (void)posix_trace_attr_setstreamsize(&attr, 20000);
    EXPECT(posix_trace_create(0, &attr, &trid) == 0);
    (void)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
    (void)posix_trace_eventset_del(POSIX_TRACE_ERROR, &set);
    EXPECT(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET) == 0);
    EXPECT(posix_trace_eventid_open("number", &event) == 0);
    EXPECT(posix_trace_start(trid) == 0);
    fill();
    for (unsigned words = 2; words <= WORDS_MAX; words++) {
        unsigned changes = 1;
        while (changes < MOST_KILLS && kill_at(changes, words)) {
            changes++;
        }
        EXPECT(changes > 10u && changes < MOST_KILLS);
    }
    return failures != 0;
}
