/* queue.h - a stub: the kinds of queues. */
#ifndef QUEUE_H
#define QUEUE_H

#define queueQUEUE_TYPE_BASE               ((uint8_t)0U)
#define queueQUEUE_TYPE_MUTEX              ((uint8_t)1U)
#define queueQUEUE_TYPE_COUNTING_SEMAPHORE ((uint8_t)2U)
#define queueQUEUE_TYPE_BINARY_SEMAPHORE   ((uint8_t)3U)
#define queueQUEUE_TYPE_RECURSIVE_MUTEX    ((uint8_t)4U)
#define queueQUEUE_TYPE_SET                ((uint8_t)5U)

#endif
