/*
 * Main sends items through a pipe and a mailbox to more urgent threads that wait for them, with
 * calls that wait and calls that do not.
 */
#include <tickertape/emitters.h>
#include <zephyr/kernel.h>

#include "finish.h"

#define STACK_BYTES 1024
#define ROUNDS      10u
#define PIPE_BYTES  8

/* User events: a receiver got its item. */
#define EVENT_FROM_PIPE    0u
#define EVENT_FROM_MAILBOX 1u

K_PIPE_DEFINE(pipe, PIPE_BYTES, 4);
K_MBOX_DEFINE(mailbox);

static void read_pipe(void)
{
    for (uint32_t number = 0;; number++) {
        uint32_t word;
        size_t bytes;
        (void)k_pipe_get(&pipe, &word, sizeof word, &bytes, sizeof word, K_FOREVER);
        tt_emit_user_user(EVENT_FROM_PIPE, number, word);
    }
}

static void read_mailbox(void)
{
    for (uint32_t number = 0;; number++) {
        struct k_mbox_msg message = {.size = sizeof(uint32_t), .rx_source_thread = K_ANY};
        uint32_t word;
        (void)k_mbox_get(&mailbox, &message, &word, K_FOREVER);
        tt_emit_user_user(EVENT_FROM_MAILBOX, number, word);
    }
}

K_THREAD_DEFINE(pipe_reader, STACK_BYTES, read_pipe, NULL, NULL, NULL, 2, 0, 0);
K_THREAD_DEFINE(mail_reader, STACK_BYTES, read_mailbox, NULL, NULL, NULL, 3, 0, 0);

static void write_pipe(uint32_t word, k_timeout_t timeout)
{
    size_t bytes;
    (void)k_pipe_put(&pipe, &word, sizeof word, &bytes, sizeof word, timeout);
}

static struct k_mbox_msg mail(uint32_t *word)
{
    return (struct k_mbox_msg){
        .size = sizeof *word,
        .tx_data = word,
        .tx_target_thread = K_ANY,
    };
}

int main(void)
{
    static uint32_t word;
    k_thread_priority_set(k_current_get(), 5);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        write_pipe(round, K_NO_WAIT);
        write_pipe(round, K_FOREVER);
        struct k_mbox_msg message = mail(&word);
        (void)k_mbox_put(&mailbox, &message, K_NO_WAIT);
        message = mail(&word);
        (void)k_mbox_put(&mailbox, &message, K_FOREVER);
        message = mail(&word);
        k_mbox_async_put(&mailbox, &message, NULL);
    }
    /* Without a receiver, a call that does not wait puts nothing into the mailbox. */
    k_thread_abort(mail_reader);
    struct k_mbox_msg message = mail(&word);
    (void)k_mbox_put(&mailbox, &message, K_NO_WAIT);
    finish();
    return 0;
}
