/*
 * disk.h - the events of a device, numbered after those of the tracer: the head of a disk begins to
 * move, and has reached its cylinder. Option TRC_TYPES_FILE names this file, so that trc_types.h
 * includes it.
 */
#ifndef SHARK_DISK_DISK_H
#define SHARK_DISK_DISK_H

#define TRC_CLASS_DISK 5

#define TRC_SEEK     0x17 /* TRC_F_LAST: numbers continue after those of the tracer */
#define TRC_CYLINDER 0x18

#define TRC_EXTRA_EVENTS  2
#define TRC_EXTRA_CLASSES {TRC_SEEK}
#define TRC_NUMCLASSES    6
#define TRC_EXTRA_MEMBERS                                                                          \
    struct {                                                                                       \
        uint16_t from, to;                                                                         \
    } seek;

#endif
