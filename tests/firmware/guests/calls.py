"""Guests that abuse kernel calls and memory, and pairs of threads that attack each other."""

from __future__ import annotations

from typing import Final

from tests.firmware.guests.table import ENDS, EXIT, LIVES, M3, M4F, M33, Guest

_DENIED: Final = "KERNEL_ERROR_DENIED"
_WRONG: Final = "KERNEL_ERROR_ARGUMENT"


def _calls(name: str, *calls: tuple[str, str], more: str = "") -> Guest:
    """Return a guest that makes calls which must be refused, each with its own result."""
    body = " ".join(f"expect(call({arguments}), {result});" for arguments, result in calls)
    return Guest(name, f"{more}{body} done();", EXIT)


CALLS: Final = (
    _calls(
        "call_numbers",
        ("0, 0, 0, 0", _WRONG),
        ("2, 0, 0, 0", _WRONG),
        ("128, 0, 0, 0", _WRONG),
        ("0xffffffffu, 0, 0, 0", _WRONG),
        ("0x80000000u, 0, 0, 0", _WRONG),
        ("0x40000001u, 0, 0, 0", _WRONG),
        ("0x15555556u, 0, 0, 0", _WRONG),
    ),
    Guest(
        "all_calls_with_a_pointer",
        "for (uint32_t n = 0; n < 300u; n++) { if (n != TT_KERCALL_THREAD_DESTROY && "
        "n != TT_KERCALL_THREAD_SLEEP && n != TT_KERCALL_SCHED_YIELD && call(n, "
        "(uintptr_t)core_words, (uintptr_t)core_words, (uintptr_t)core_words) == KERNEL_OK) { "
        "breach(n); } } done();",
        EXIT,
    ),
    Guest(
        "all_calls_with_nothing",
        "for (uint32_t n = 0; n < 300u; n++) { if (n != TT_KERCALL_THREAD_DESTROY) { "
        "(void)call(n, 0, 0, 0); } } done();",
        EXIT,
    ),
    Guest(
        "call_immediates",
        r'ASM("mvn r12, #0\nsvc #0\nsvc #1\nsvc #0xab\nsvc #255"); done();',
        EXIT,
    ),
    _calls(
        "records_what_it_may_not",
        ("TT_KERCALL_TRACE_EVENT, TT_CLASS_DOMAIN << 10 | TT_DOMAIN_FAULT, 1, 2", _DENIED),
        ("TT_KERCALL_TRACE_EVENT, TT_CLASS_SCHED << 10, 1, 2", _DENIED),
        ("TT_KERCALL_TRACE_EVENT, TT_CLASS_CONTROL << 10 | 1u, 1, 2", _DENIED),
        ("TT_KERCALL_TRACE_EVENT, 0x7fffffffu, 1, 2", _DENIED),
        ("TT_KERCALL_TRACE_EVENT, 0x40000000u | TT_CLASS_USER << 10, 1, 2", _DENIED),
        ("TT_KERCALL_TRACE_EVENT, 0x8000u | TT_CLASS_USER << 10, 1, 2", _DENIED),
        ("TT_KERCALL_TRACE_EVENT, (uintptr_t)core_words, (uintptr_t)core_words, ~0u", _DENIED),
    ),
    _calls(
        "names_what_it_may_not",
        ("TT_KERCALL_TRACE_EVENT, 0xffffffffu, (uintptr_t)memory, 0", _WRONG),
        ("TT_KERCALL_TRACE_EVENT, 0x80000000u, (uintptr_t)memory, 0", _WRONG),
        ("TT_KERCALL_TRACE_EVENT, 0x80000000u | 20u, (uintptr_t)memory, 0", _WRONG),
        ("TT_KERCALL_TRACE_EVENT, 0x80000000u | 62u, (uintptr_t)memory, 0", _WRONG),
        ("TT_KERCALL_TRACE_EVENT, 0x80000000u | TT_CLASS_USER << 10 | 23u, 0, 0", _WRONG),
        ("TT_KERCALL_TRACE_EVENT, 0x80000000u | 23u, 0, 0", _DENIED),
        ("TT_KERCALL_TRACE_EVENT, 0x80000000u | 23u, (uintptr_t)core_words, 0", _DENIED),
        ("TT_KERCALL_TRACE_EVENT, 0x80000000u | 23u, (uintptr_t)memory - 1u, 0", _DENIED),
        ("TT_KERCALL_TRACE_EVENT, 0x80000000u | 23u, ~(uintptr_t)0, 0", _DENIED),
    ),
    Guest(
        "records_pointers",
        "for (uint32_t n = 0; n < 1024u; n += 31u) { if (n != EVENT_BREACH) { "
        "(void)call(TT_KERCALL_TRACE_EVENT, TT_CLASS_USER << 10 | n, "
        "(uintptr_t)core_words, ~0u); } } done();",
        EXIT,
    ),
    _calls(
        "sleeps_wrongly",
        ("TT_KERCALL_THREAD_SLEEP, 0x80000000u, 0, 0", _WRONG),
        ("TT_KERCALL_THREAD_SLEEP, 0xfffffffeu, 0, 0", _WRONG),
        ("TT_KERCALL_THREAD_SLEEP, 0, (uintptr_t)core_words, ~0u", "KERNEL_OK"),
        ("TT_KERCALL_THREAD_WAIT_PERIOD, 0, 0, 0", "KERNEL_ERROR_STATE"),
    ),
    Guest("sleeps_for_ever", "(void)kernel_sleep(KERNEL_FOREVER); breach(1);", LIVES),
    Guest("sleeps_longest", "(void)kernel_sleep(KERNEL_TICKS_MAX); breach(1);", LIVES),
    _calls(
        "creates_threads",
        ("TT_KERCALL_THREAD_CREATE, (uintptr_t)memory, 31, (uintptr_t)memory", _DENIED),
        ("TT_KERCALL_THREAD_CREATE, (uintptr_t)done, 31, (uintptr_t)core_words", _DENIED),
        ("TT_KERCALL_SCHED_SET, (uintptr_t)&guest_threads[0], 31, 0", _DENIED),
        ("TT_KERCALL_THREAD_BIND, (uintptr_t)&guest_threads[0], 0, 0", _DENIED),
        ("TT_KERCALL_THREAD_SUSPEND, (uintptr_t)&owner_thread, 0, 0", _DENIED),
        ("TT_KERCALL_THREAD_RESUME, (uintptr_t)&owner_thread, 0, 0", _DENIED),
        ("TT_KERCALL_THREAD_SET_PERIOD, (uintptr_t)&owner_thread, 1, 0", _DENIED),
        ("TT_KERCALL_THREAD_JOIN, (uintptr_t)&owner_thread, 1, 0", _DENIED),
        # A forged thread in the guest's memory, which the kernel must not accept
        more="for (uint32_t i = 0; i < 16u; i++) { *word(memory, i) = (uintptr_t)memory; } ",
    ),
    _calls(
        "uses_objects_of_the_core",
        ("TT_KERCALL_SYNC_MUTEX_LOCK, (uintptr_t)&core_mutex, ~0u, 0", _DENIED),
        ("TT_KERCALL_SYNC_MUTEX_TRYLOCK, (uintptr_t)&core_mutex, 0, 0", _DENIED),
        ("TT_KERCALL_SYNC_MUTEX_UNLOCK, (uintptr_t)&core_mutex, 0, 0", _DENIED),
        ("TT_KERCALL_SYNC_SEM_POST, (uintptr_t)&core_sem, 0, 0", _DENIED),
        ("TT_KERCALL_SYNC_SEM_WAIT, (uintptr_t)&core_sem, ~0u, 0", _DENIED),
        ("TT_KERCALL_SYNC_DESTROY, (uintptr_t)&core_sem, 0, 2", _DENIED),
        ("TT_KERCALL_FLAGS_SET, (uintptr_t)core_words, ~0u, 0", _DENIED),
        ("TT_KERCALL_TIMER_SETTIME, (uintptr_t)core_words, 1, 1", _DENIED),
        ("TT_KERCALL_TIMER_CREATE, (uintptr_t)core_words, (uintptr_t)done, 0", _DENIED),
        ("TT_KERCALL_MSG_SENDV, (uintptr_t)core_words, (uintptr_t)core_words, ~0u", _DENIED),
        ("TT_KERCALL_MSG_RECEIVEV, (uintptr_t)core_words, (uintptr_t)core_words, ~0u", _DENIED),
        ("TT_KERCALL_MSG_REPLYV, 1, (uintptr_t)core_words, 4", _DENIED),
        ("TT_KERCALL_MSG_SEND_PULSE, (uintptr_t)core_words, 1, 2", _DENIED),
    ),
    Guest("ends_another", "(void)call(TT_KERCALL_THREAD_DESTROY, 1, 1, 1); breach(1);", ENDS),
    Guest("ends_twice", "kernel_domain_exit();", ENDS),
    Guest(
        "call_storm",
        "for (;;) { (void)call(0xffffffffu, 0, 0, 0); (void)call(TT_KERCALL_SYNC_SEM_POST, "
        "(uintptr_t)&core_sem, 0, 0); }",
        LIVES,
        low=True,
        alone=True,
    ),
    Guest("yield_storm", "for (;;) { kernel_yield(); }", LIVES, low=True, alone=True),
    Guest(
        "event_storm",
        "for (;;) { (void)kernel_domain_trace(TT_CLASS_DOMAIN, TT_DOMAIN_USER, ~0u); }",
        LIVES,
        low=True,
        alone=True,
    ),
    Guest(
        "fault_after_a_storm",
        "for (int i = 0; i < 1000; i++) { kernel_yield(); } store((uintptr_t)core_words, 0);",
        low=True,
        alone=True,
        inside=True,
    ),
)


def _reads(name: str, address: str, number: int | None = None) -> Guest:
    return Guest(f"reads_{name}", f"breach(load({address}));", address=number, inside=True)


def _writes(
    name: str, address: str, number: int | None = None, boards: tuple[str, ...] = (M3, M4F, M33)
) -> Guest:
    body = f"store({address}, 0x05fa0004u); breach(1);"
    return Guest(f"writes_{name}", body, address=number, inside=True, boards=boards)


MEMORY: Final = (
    _reads("kernel", "(uintptr_t)core_words"),
    _reads("own_thread_object", "(uintptr_t)&guest_threads[0]"),
    _reads("other_domain", "(uintptr_t)memories[1]"),
    _reads("last_word_of_other_domain", "(uintptr_t)memories[3] - 4u"),
    _reads("below_its_memory", "(uintptr_t)memory - 4u"),
    _reads("behind_its_memory", "(uintptr_t)memory + MEMORY_BYTES"),
    _reads("clock", "TT_PORT_CLOCK_REGISTER"),
    _reads("nothing", "0x90000000u", 0x90000000),
    _reads("the_end_of_addresses", "0xfffffffcu", 0xFFFFFFFC),
    _writes("kernel", "(uintptr_t)core_words"),
    _writes("constants", "(uintptr_t)secrets"),
    _writes("code", "(uintptr_t)done & ~(uintptr_t)3u"),
    _writes("vectors", "CODE"),
    _writes("device", "DEVICE"),
    _writes("other_domain", "(uintptr_t)memories[2]"),
    _writes("reset", "0xe000ed0cu"),
    _writes("vector_offset", "0xe000ed08u"),
    _writes("mpu", "0xe000ed94u"),
    _writes("fault_enables", "0xe000ed24u"),
    _writes("interrupt_enables", "0xe000e180u"),
    _writes("software_interrupt", "0xe000ef00u"),
    _writes("systick", "0xe000e010u"),
    _writes("fpu_access", "0xe000ed88u"),
    _writes("fpu_context", "0xe000ef34u"),
    _writes("debug_monitor", "0xe000edfcu"),
    _writes("cycle_counter", "0xe0001004u"),
    _writes("stimulus_port", "0xe0000000u"),
    _writes("breakpoints", "0xe0002000u"),
    _writes("bit_band_of_ram", "0x22000000u", 0x22000000, (M3, M4F)),
    _writes("bit_band_of_devices", "0x42000000u", 0x42000000, (M3, M4F)),
    _writes("other_cpu", "0x50021118u", 0x50021118, (M33,)),
    _writes("non_secure_alias_of_ram", "0x28000000u", 0x28000000, (M33,)),
    _writes("non_secure_registers", "0xe002ed94u", None, (M33,)),
    _writes("security_attribution", "0xe000edd0u", None, (M33,)),
    Guest("unprivileged_store", "unprivileged_store((uintptr_t)core_words);", inside=True),
    Guest("copies_the_kernel", "copy(memory, RAM);", inside=True),
    Guest("reads_code", "if (load(CODE + 4u) == 0u) { breach(1); } done();", EXIT),
)

# A thread of lower priority computes. The guest wakes up while that thread is preempted, and
# overwrites the registers saved on its stack.
_COMPUTES: Final = "for (;;) { *word(memory, 1) += 1u; }"
_WAITS: Final = "for (;;) { (void)kernel_sleep(1); }"


def _betrays(name: str, change: str, mate: str, *, mate_ends: bool = True) -> Guest:
    body = (
        "volatile uint32_t *top = word(memory, MEMORY_BYTES / 4u); "
        "for (int i = 0; i < 8; i++) { (void)kernel_sleep(1); "
        f"for (uint32_t n = 1; n <= 80u; n++) {{ volatile uint32_t *w = top - n; {change} }} "
        "look_for_secrets(memory); } done();"
    )
    return Guest(name, body, EXIT, mate=mate, mate_ends=mate_ends)


MATES: Final = (
    *(
        _betrays(f"{how}_{state}", change, mate)
        for state, mate in (("interrupted", _COMPUTES), ("waiting", _WAITS))
        for how, change in (
            ("claims_fpu_frame", "if ((*w & 0xffffff00u) == 0xffffff00u) { *w &= ~16u; }"),
            ("clears_bit_4", "if (*w >= RAM) { *w &= ~16u; }"),
            ("writes_0", "*w = 0;"),
            ("writes_ones", "*w = ~0u;"),
            ("writes_exception_return", "*w = 0xfffffff1u;"),
            ("writes_kernel_pointers", "*w = (uintptr_t)core_words;"),
            ("writes_handler_state", "if ((*w & 0x01000000u) != 0u) { *w |= 11u; }"),
        )
    ),
    # On two CPUs at the same time: the end of the mate must not depend on the mate's memory
    Guest(
        "revives_its_mate",
        "volatile uint32_t *top = word(memory, MEMORY_BYTES / 4u); "
        "for (int i = 0; i < 3000; i++) { top[-2] = (uintptr_t)done; top[-1] = 0x01000000u; "
        "*word(memory, 0) += 1u; } (void)kernel_sleep(3); done();",
        EXIT,
        mate=r'(void)kernel_sleep(1); ASM("1: udf #0\nb 1b");',
        mate_ends=True,
    ),
)
