/* A thread in user mode records events and uses the kernel objects that main grants to it. */
#include <tickertape_user.h>
#include <zephyr/kernel.h>

#include "finish.h"

#define STACK_BYTES 1024
#define TURNS       5u

K_SEM_DEFINE(go, 0, 1);
K_SEM_DEFINE(done, 0, 1);

static void be_guest(void *a, void *b, void *c)
{
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        k_sem_take(&go, K_FOREVER);
        tape_user_event(7, turn);
        k_sem_give(&done);
    }
}

K_THREAD_DEFINE(guest, STACK_BYTES, be_guest, NULL, NULL, NULL, 3, K_USER, K_TICKS_FOREVER);

int main(void)
{
    k_thread_access_grant(guest, &go, &done);
    k_thread_start(guest);
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        tape_user_event(8, turn);
        k_sem_give(&go);
        k_sem_take(&done, K_FOREVER);
    }
    finish();
    return 0;
}
