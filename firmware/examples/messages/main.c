/*
 * messages - clients, a server, and pulses from a timer and an interrupt.
 *
 *     thread      priority  does
 *     fast        20        sends a request to the server every 5 ms
 *     slow        8         sends a request to the server every 20 ms
 *     server      4         receives, computes 300 us, replies; counts pulses
 *
 * The server has a low base priority and inherits the priority of the client that it serves: look
 * for PRIORITY between RMSG and REPLY. The server replies to every tenth request of a client with
 * an error.
 */
#include "board.h"
#include "kernel.h"
#include "tickertape/emitters.h"
#include "tracer.h"

#define DEFAULT_DURATION_MS 2000u
#define SENSOR_PERIOD_US    7300u
#define HEARTBEAT_TICKS     50u

/* Our events of class USER: a client received a correct answer (priority of the client, number of
 * the request); the server received a pulse (number, pulse). */
#define EVENT_ANSWER     1u
#define EVENT_PULSE      2u
#define EVENT_ID(number) (((uint32_t)TT_CLASS_USER << 10) | (number))

#define PULSE_SENSOR    1u
#define PULSE_HEARTBEAT 2u

/* One of this number of requests is refused. */
#define REFUSED_EACH 10u

static kernel_channel_t requests;
static kernel_timer_t heartbeat;

typedef struct client {
    const char *name;
    uint32_t priority;
    uint32_t period_ms;
} client_t;

static const client_t clients[] = {
    {.name = "fast", .priority = 20, .period_ms = 5},
    {.name = "slow", .priority = 8, .period_ms = 20},
};

#define CLIENT_COUNT (sizeof clients / sizeof clients[0])

static kernel_thread_t client_threads[CLIENT_COUNT];
static _Alignas(8) uint8_t client_stacks[CLIENT_COUNT][BOARD_STACK_BYTES];
static kernel_thread_t server_thread;
static _Alignas(8) uint8_t server_stack[BOARD_STACK_BYTES];
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

static uint32_t ms_to_ticks(uint32_t ms)
{
    return (uint32_t)((uint64_t)ms * KERNEL_TICK_HZ / 1000u);
}

static void ask(const client_t *self, uint32_t number)
{
    uint32_t square = 0;
    kernel_message_t message = {
        .data = &number,
        .bytes = sizeof number,
        .reply = &square,
        .reply_room_bytes = sizeof square,
    };
    int status = kernel_message_send(&requests, &message, KERNEL_FOREVER);
    if (status == KERNEL_OK && square == number * number) {
        tt_emit_user_user(EVENT_ANSWER, self->priority, number);
    }
}

static void run_client(void *argument)
{
    const client_t *self = argument;
    (void)kernel_thread_set_period(kernel_thread_self(), ms_to_ticks(self->period_ms));
    for (uint32_t number = 1;; number++) {
        kernel_work_us(50);
        ask(self, number);
        (void)kernel_wait_period();
    }
}

static void answer(uint32_t id, uint32_t number)
{
    uint32_t square = number * number;
    kernel_work_us(300);
    if (number % REFUSED_EACH == 0u) {
        (void)kernel_message_reply(id, KERNEL_ERROR_ARGUMENT, NULL, 0);
    } else {
        (void)kernel_message_reply(id, KERNEL_OK, &square, sizeof square);
    }
}

static void serve(void *argument)
{
    (void)argument;
    uint32_t pulse_count = 0;
    for (;;) {
        uint32_t number = 0;
        kernel_received_t received;
        (void)kernel_message_receive(&requests, &number, sizeof number, &received, KERNEL_FOREVER);
        if (received.id != 0u) {
            answer(received.id, number);
        } else {
            tt_emit_user_user(EVENT_PULSE, ++pulse_count, received.pulse);
        }
    }
}

static void sensor_interrupt(void *argument)
{
    (void)argument;
    board_sensor_acknowledge();
    (void)kernel_pulse_send(&requests, PULSE_SENSOR);
}

static void beat(void *argument)
{
    (void)argument;
    (void)kernel_pulse_send(&requests, PULSE_HEARTBEAT);
}

static void supervisor(void *argument)
{
    (void)argument;
    (void)kernel_sleep(ms_to_ticks(board_option("duration_ms", DEFAULT_DURATION_MS)));
    tracer_finish();
}

static void create_threads(void)
{
    (void)kernel_thread_create(&server_thread, "server", serve, NULL, 4, server_stack,
                               BOARD_STACK_BYTES);
    for (uint32_t i = 0; i < CLIENT_COUNT; i++) {
        (void)kernel_thread_create(&client_threads[i], clients[i].name, run_client,
                                   (void *)&clients[i], clients[i].priority, client_stacks[i],
                                   BOARD_STACK_BYTES);
    }
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervisor, NULL, 30,
                               supervisor_stack, BOARD_STACK_BYTES);
}

void application_main(void)
{
    static tt_name_t names[] = {
        {.kind = TT_OBJECT_KIND_CHANNEL, .text = "requests"},
        {.kind = TT_OBJECT_KIND_TIMER, .text = "heartbeat"},
        {.kind = TT_OBJECT_KIND_IRQ, .id = BOARD_SENSOR_IRQ + 16u, .text = "sensor"},
        {.kind = TT_OBJECT_KIND_EVENT, .id = EVENT_ID(EVENT_ANSWER), .text = "answer"},
        {.kind = TT_OBJECT_KIND_EVENT, .id = EVENT_ID(EVENT_PULSE), .text = "pulse"},
    };
    names[0].id = (uint32_t)(uintptr_t)&requests;
    names[1].id = (uint32_t)(uintptr_t)&heartbeat;
    tracer_start("messages", names, sizeof names / sizeof names[0]);
    create_threads();
    (void)kernel_timer_create(&heartbeat, beat, NULL);
    (void)kernel_timer_start(&heartbeat, HEARTBEAT_TICKS, HEARTBEAT_TICKS);
    (void)kernel_irq_attach(BOARD_SENSOR_IRQ, KERNEL_IRQ_LEVEL_DEVICE, sensor_interrupt, NULL);
    board_sensor_start(SENSOR_PERIOD_US);
    kernel_start();
}
