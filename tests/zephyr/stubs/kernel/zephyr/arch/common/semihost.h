#ifndef STUB_SEMIHOST_H
#define STUB_SEMIHOST_H
#define SEMIHOST_OPEN_WB 5
long semihost_open(const char *path, long mode);
long semihost_write(long file, char *bytes, long count);
#endif
