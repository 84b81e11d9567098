/* The caller's side of the system call, as Zephyr generates it from the declaration. */
void z_impl_tape_user_event(uint32_t event, uint32_t data);
static inline void tape_user_event(uint32_t event, uint32_t data)
{
    z_impl_tape_user_event(event, data);
}
