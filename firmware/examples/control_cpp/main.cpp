/*
 * control_cpp - a control loop in C++17, recorded with tickertape.hpp.
 *
 *     thread      priority  period   does
 *     supervisor  30        -        ends the program after duration_ms
 *     control     20        10 ms    one turn, a runnable; every tenth turn writes a report
 *     tracer      0         -        sends the trace
 *
 * No heap, exceptions, RTTI or static constructors: all static objects are constant-initialised.
 */
#include "board.h"
#include "kernel.h"
#include "tickertape/tickertape.hpp"
#include "tracer.h"

namespace
{

constexpr uint32_t DEFAULT_DURATION_MS = 2000;
constexpr uint32_t PERIOD_MS = 10;
constexpr uint32_t TURNS_IN_REPORT = 10;

/* Our events of class USER: the output of a turn; begin and end of a report, with the report's
 * number; the report itself, a combine event. */
using output = tickertape::user_event<1, uint32_t, float>;
using report_begins = tickertape::user_event<2, uint32_t>;
using report_ends = tickertape::user_event<3, uint32_t>;
constexpr uint32_t EVENT_REPORT = 4;

/* A first-order filter that follows a sawtooth. */
class Controller
{
  public:
    /* One turn: follow the input, emit the output. */
    void turn()
    {
        tickertape::runnable_scope scope(runnable_);
        kernel_work_us(200);
        const float input = static_cast<float>(count_ % TURNS_IN_REPORT);
        value_ += (input - value_) * 0.5f;
        output::emit(++count_, value_);
        if (count_ % TURNS_IN_REPORT == 0u) {
            report(count_ / TURNS_IN_REPORT);
        }
    }

    tt_runnable_t &runnable()
    {
        return runnable_;
    }

  private:
    void report(uint32_t number) const
    {
        tickertape::scope<report_begins, report_ends> scope(number);
        tickertape::combine_writer writer(TT_CLASS_USER, EVENT_REPORT);
        writer.add(number).add(value_).add("report", 6);
    }

    tt_runnable_t runnable_{};
    uint32_t count_ = 0;
    float value_ = 0.0f;
};

Controller controller;
kernel_thread_t control_thread;
kernel_thread_t supervisor_thread;
alignas(8) uint8_t control_stack[BOARD_STACK_BYTES];
alignas(8) uint8_t supervisor_stack[BOARD_STACK_BYTES];

constexpr uint32_t event_id(uint32_t number)
{
    return TT_CLASS_USER << 10 | number;
}

uint32_t ms_to_ticks(uint32_t ms)
{
    return static_cast<uint32_t>(uint64_t{ms} * KERNEL_TICK_HZ / 1000u);
}

void control(void *)
{
    for (;;) {
        controller.turn();
        (void)kernel_wait_period();
    }
}

void supervisor(void *)
{
    (void)kernel_sleep(ms_to_ticks(board_option("duration_ms", DEFAULT_DURATION_MS)));
    tracer_finish();
}

} // namespace

void application_main(void)
{
    static tt_name_t names[] = {
        {TT_OBJECT_KIND_EVENT, event_id(1), 0, 0, 0, 0, "output"},
        {TT_OBJECT_KIND_EVENT, event_id(EVENT_REPORT), 0, 0, 0, 0, "report"},
        {TT_OBJECT_KIND_RUNNABLE, 0, 0, 0, 0, 0, "turn"},
    };
    names[2].id = tickertape::word_of<tt_runnable_t *>::get(&controller.runnable());
    tracer_start("control_cpp", names, sizeof names / sizeof names[0]);
    (void)kernel_thread_create(&control_thread, "control", control, nullptr, 20, control_stack,
                               sizeof control_stack);
    (void)kernel_thread_set_period(&control_thread, ms_to_ticks(PERIOD_MS));
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervisor, nullptr, 30,
                               supervisor_stack, sizeof supervisor_stack);
    kernel_start();
}
