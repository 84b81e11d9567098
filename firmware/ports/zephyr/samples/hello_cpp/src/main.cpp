/*
 * A control loop in C++17: each turn is a runnable and emits its output; every tenth turn records a
 * report. Uses no heap, exceptions or RTTI.
 */
#include <tickertape/tickertape.hpp>
#include <zephyr/kernel.h>

namespace
{

constexpr int32_t PERIOD_MS = 10;
constexpr uint32_t TURN_US = 200;
constexpr uint32_t TURNS_IN_REPORT = 10;
constexpr size_t STACK_BYTES = 1024;
constexpr int PRIORITY = 2;

/* Events of class USER of this application: the output of a turn; begin and end of a report, with
 * its number; the report itself, a combine event. */
using output = tickertape::user_event<1, uint32_t, float>;
using report_begins = tickertape::user_event<2, uint32_t>;
using report_ends = tickertape::user_event<3, uint32_t>;
constexpr uint32_t EVENT_REPORT = 4;

/* A first-order filter that follows a sawtooth. */
class Controller
{
  public:
    /* Do one turn: follow the input, emit the output. */
    void turn()
    {
        tickertape::runnable_scope scope(runnable_);
        k_busy_wait(TURN_US);
        const float input = static_cast<float>(count_ % TURNS_IN_REPORT);
        value_ += (input - value_) * 0.5f;
        output::emit(++count_, value_);
        if (count_ % TURNS_IN_REPORT == 0u) {
            report(count_ / TURNS_IN_REPORT);
        }
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

void control(void *, void *, void *)
{
    for (;;) {
        controller.turn();
        k_msleep(PERIOD_MS);
    }
}

K_THREAD_DEFINE(loop, STACK_BYTES, control, nullptr, nullptr, nullptr, PRIORITY, 0, 0);

} // namespace
