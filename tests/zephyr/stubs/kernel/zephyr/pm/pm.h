#ifndef STUB_PM_H
#define STUB_PM_H
enum pm_state {
    PM_STATE_ACTIVE,
    PM_STATE_RUNTIME_IDLE,
    PM_STATE_SUSPEND_TO_IDLE,
    PM_STATE_STANDBY
};
struct pm_notifier {
    void (*state_entry)(enum pm_state state);
    void (*state_exit)(enum pm_state state);
};
void pm_notifier_register(struct pm_notifier *notifier);
#endif
