/* The kernel's side of the system call, as Zephyr generates it. */
void z_mrsh_tape_user_event(uintptr_t event, uintptr_t data);
void z_mrsh_tape_user_event(uintptr_t event, uintptr_t data)
{
    z_vrfy_tape_user_event((uint32_t)event, (uint32_t)data);
}
