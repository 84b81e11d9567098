/* A library to preload: makes chosen calls fail on files whose path contains FAIL_NAME.
   FAIL_CALL: name of the call. FAIL_AT: number of the first call that fails, from 1; all later
   ones fail too. FAIL_ERRNO: error number. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(const char *call, const char *path)
{
    static int calls;
    const char *chosen = getenv("FAIL_CALL");
    const char *name = getenv("FAIL_NAME");
    if (chosen == NULL || name == NULL || strcmp(chosen, call) != 0 || strstr(path, name) == NULL) {
        return 0;
    }
    calls++;
    if (calls < atoi(getenv("FAIL_AT"))) {
        return 0;
    }
    errno = atoi(getenv("FAIL_ERRNO"));
    return 1;
}

static int fails_at(const char *call, int descriptor)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) {
        return 0;
    }
    path[size] = 0;
    return fails(call, path);
}

#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int descriptor, const void *data, size_t size)
{
    NEXT(write);
    return fails_at("write", descriptor) ? -1 : next(descriptor, data, size);
}

int fsync(int descriptor)
{
    NEXT(fsync);
    return fails_at("fsync", descriptor) ? -1 : next(descriptor);
}

int rename(const char *from, const char *to)
{
    NEXT(rename);
    return fails("rename", to) ? -1 : next(from, to);
}
