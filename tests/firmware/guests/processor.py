"""Guests that abuse the processor: stack pointers, instructions, jumps, registers, the FPU."""

from __future__ import annotations

from typing import Final

from tests.firmware.guests.table import BOARDS, EXIT, LIVES, M33, Guest

_SLEEPING_MATE: Final = "for (;;) { (void)kernel_sleep(1); }"

STACK: Final = (
    # The next switch detects the overflow of a computing guest, so other threads must get to run
    Guest("stack_overflows_in_domain", r'ASM("sub sp, #1088\n1: b 1b");', low=True, inside=True),
    Guest(
        "stack_overflows_and_calls",
        "call_with_stack((uintptr_t)memory + STACK_BEGIN - 64u);",
        inside=True,
    ),
    Guest("recursion", r'ASM("1: push {r0-r7}\nb 1b");'),
    Guest("recursion_with_calls", "recurse((uint32_t)(uintptr_t)memory);"),
    Guest("stack_at_0", "spin_with_stack(0);"),
    Guest("stack_at_0_calls", "call_with_stack(0);"),
    Guest("stack_at_the_end_of_addresses", "spin_with_stack(0xfffffffcu);"),
    Guest("stack_in_kernel", "spin_with_stack((uintptr_t)(core_words + 8));"),
    Guest("stack_in_kernel_calls", "call_with_stack((uintptr_t)(core_words + 8));"),
    Guest("stack_in_own_thread_object", "call_with_stack((uintptr_t)(guest_threads + 1));"),
    Guest("stack_in_other_domain", "spin_with_stack((uintptr_t)memories[1] + STACK_BYTES);"),
    Guest("stack_in_other_domain_calls", "call_with_stack((uintptr_t)memories[3]);"),
    Guest("stack_in_device", "spin_with_stack(DEVICE + 0x20u);"),
    Guest("stack_in_processor", "spin_with_stack(0xe000e120u);"),
    Guest("stack_in_code", "call_with_stack((uintptr_t)(secrets + SECRET_WORDS));"),
    Guest("stack_at_begin_of_ram", "spin_with_stack(RAM);"),
    Guest("stack_just_in_ram", "call_with_stack(RAM + 32u);"),
    Guest("stack_at_end_of_ram", "spin_with_stack(RAM + RAM_BYTES);"),
    Guest("stack_beyond_ram", "call_with_stack(RAM + RAM_BYTES + 32u);"),
    Guest("stack_half_above_domain", "spin_with_stack((uintptr_t)memory + MEMORY_BYTES + 16u);"),
    Guest("stack_at_begin_of_domain", "spin_with_stack((uintptr_t)memory + 40u);", low=True),
    Guest("stack_below_domain", "spin_with_stack((uintptr_t)memory + 16u);"),
    Guest(
        "stack_of_mate",
        "spin_with_stack((uintptr_t)memory + MEMORY_BYTES - 16u);",
        mate=_SLEEPING_MATE,
        mate_ends=True,
        low=True,
        inside=True,
    ),
    Guest(
        "stack_of_mate_calls",
        "call_with_stack((uintptr_t)memory + MEMORY_BYTES - 16u);",
        mate=_SLEEPING_MATE,
        mate_ends=True,
        inside=True,
    ),
    Guest("stack_pointer_odd", "sleep_with_odd_stack(); done();", ends=EXIT),
    Guest(
        "fpu_frame_above_domain",
        "use_fpu(); spin_with_stack((uintptr_t)memory + MEMORY_BYTES + 72u);",
        fpu=True,
    ),
    Guest(
        "fpu_frame_above_domain_calls",
        "use_fpu(); call_with_stack((uintptr_t)memory + MEMORY_BYTES + 64u);",
        fpu=True,
    ),
    Guest(
        "fpu_frame_below_stack",
        "use_fpu(); spin_with_stack((uintptr_t)memory + STACK_BEGIN + 104u);",
        low=True,
        fpu=True,
    ),
    Guest(
        "fpu_frame_below_domain",
        "use_fpu(); call_with_stack((uintptr_t)memory + 104u);",
        fpu=True,
    ),
)

INSTRUCTIONS: Final = (
    Guest("bkpt", 'ASM("bkpt #0");', inside=True),
    Guest("bkpt_255", 'ASM("bkpt #255");', inside=True),
    Guest("bkpt_of_semihosting", "semihost(0x18, 0x20026);", inside=True),
    Guest("bkpt_of_semihosting_writes", 'semihost(0x04, (uintptr_t)"from a guest");', inside=True),
    Guest("udf", 'ASM("udf #0");', inside=True),
    Guest("udf_wide", 'ASM("udf.w #0x123");', inside=True),
    Guest("coprocessor", 'ASM("mcr p15, 0, r0, c1, c0, 0");', inside=True),
    Guest("bkpt_in_it_block", r'ASM("cmp r0, r0\nitt eq\nmoveq r1, r1\nbkpt #1");', inside=True),
    Guest(
        "fault_in_it_block",
        r'ASM("mov r1, #0xe0000000\ncmp r0, r0\nitttt eq\nmoveq r2, r2\nldreq r2, [r1]\n'
        r'moveq r3, r3\nmoveq r2, r2");',
        inside=True,
    ),
    Guest("call_in_it_block", "for (int i = 0; i < 5; i++) { call_in_it_block(); } done();", EXIT),
    Guest(
        "divides_by_zero",
        r'ASM("movs r1, #0\nudiv r2, r0, r1\nsdiv r3, r0, r1"); done();',
        ends=EXIT,
    ),
    Guest("unaligned_multiple", r'ASM("adds r0, #1\nldmia r0, {r2, r3}");', inside=True),
    Guest("unaligned_double", r'ASM("adds r0, #2\nldrd r2, r3, [r0]");', inside=True),
    Guest("unaligned_exclusive", r'ASM("adds r0, #1\nldrex r2, [r0]");', inside=True),
    Guest("unaligned_over_the_end", "store((uintptr_t)memory + MEMORY_BYTES - 2u, 0);"),
    Guest(
        "exclusives",
        r'ASM("ldrex r1, [r0]\nstrex r2, r1, [r0]\nstrex r2, r1, [r0]\nldrex r1, [r0]\nclrex\n'
        r'strex r2, r1, [r0]\nldrex r1, [r0]"); (void)kernel_sleep(1); '
        r'ASM("strex r2, r1, [r0]"); done();',
        ends=EXIT,
    ),
    Guest("exclusive_of_kernel", "exclusive((uintptr_t)core_words);", inside=True),
    Guest("waits_for_interrupts", 'for (;;) { ASM("wfi"); }', LIVES, low=True),
    # No endless loop: the emulator switches its own threads at each wfe
    Guest("waits_for_events", 'for (int i = 0; i < 500; i++) { ASM("wfe"); } done();', EXIT),
    Guest(
        "sends_events",
        r'for (int i = 0; i < 500; i++) { ASM("sev\nwfe\nyield\nnop"); } done();',
        EXIT,
    ),
    Guest("computes", "for (;;) { *word(memory, 0) += 1u; }", LIVES, low=True),
    Guest("dies_while_it_waits", 'ASM("wfi\\nwfe\\nudf #1");', low=True, inside=True),
)


def _jump(name: str, address: int, boards: tuple[str, ...] = BOARDS) -> Guest:
    """Return a guest that jumps to an unmapped address; the fault reports it without bit 0."""
    return Guest(name, f"jump({address:#x}u);", address=address & ~1, boards=boards)


JUMPS: Final = (
    Guest("jump_to_0", "jump(1);", boards=(M33,)),  # other boards have code at address 0
    Guest("jump_out_of_thumb", "jump((uintptr_t)done & ~(uintptr_t)1u);"),
    Guest("jump_to_own_memory", "jump((uintptr_t)memory | 1u);"),
    Guest("jump_to_kernel_memory", "jump((uintptr_t)core_words | 1u);"),
    Guest("jump_to_device", "jump(DEVICE | 1u);"),
    _jump("jump_to_f0000000", 0xF0000001),
    _jump("jump_to_processor", 0xE000ED01),
    _jump("jump_to_the_last_address", 0xFFFFFFFF),
    _jump("bx_return_to_handler", 0xFFFFFFF1),
    _jump("bx_return_to_main_stack", 0xFFFFFFF9),
    _jump("bx_return_to_thread", 0xFFFFFFFD),
    _jump("bx_return_with_fpu", 0xFFFFFFED),
    _jump("bx_return_to_non_secure", 0xFFFFFFBD),
    Guest("pop_return_to_handler", r'ASM("mvn r1, #14\npush {r1}\npop {pc}");', address=0xFFFFFFF0),
    Guest("bx_function_return", "jump(0xfeffffffu);", boards=(M33,)),
    Guest("bx_function_return_secure", "jump(0xfefffffeu);", boards=(M33,)),
    # bxns r1, blxns r1: to the Non-secure state, in which this program has no code
    Guest(
        "goes_non_secure", r'ASM("mov r1, #0x10000000\n.inst.n 0x470c\n1: b 1b");', boards=(M33,)
    ),
    Guest("calls_non_secure", r'ASM("movs r1, #0\n.inst.n 0x478c\n1: b 1b");', boards=(M33,)),
    Guest("secure_gateway", r'ASM(".inst.w 0xe97fe97f"); done();', EXIT, boards=(M33,)),
    Guest("handler_of_calls", "SVC_Handler();"),
    Guest("handler_of_switches", "PendSV_Handler();"),
    Guest("handler_of_faults", "kernel_fault_handler();"),
    Guest("handler_of_interrupts", "kernel_irq_handler();"),
    Guest("ends_the_program", "board_exit(0);"),
    Guest("panics", 'kernel_panic("from a guest");'),
    Guest("writes_to_console", 'board_console_write("from a guest");'),
    Guest("starts_the_kernel", "kernel_start();"),
    Guest("ticks", "kernel_tick();"),
)

REGISTERS: Final = (
    Guest("masks_interrupts", r'ASM("cpsid i\ncpsid f"); done();', EXIT),
    Guest(
        "masks_and_computes",
        r'ASM("cpsid i\ncpsid f"); for (;;) { *word(memory, 0) += 1u; }',
        LIVES,
        low=True,
    ),
    Guest(
        "masks_by_priority",
        r'ASM("movs r1, #0x20\nmsr basepri, r1\nmsr basepri_max, r1\nmovs r1, #1\n'
        r'msr primask, r1\nmsr faultmask, r1"); (void)kernel_sleep(2); done();',
        ends=EXIT,
    ),
    Guest(
        "privileges_itself",
        r'ASM("movs r1, #0\nmsr control, r1\nisb"); store((uintptr_t)core_words, 0);',
        inside=True,
    ),
    Guest(
        "privileges_itself_in_all_ways",
        "for (uint32_t c = 0; c < 8u; c++) { "
        '__asm volatile("msr control, %0\\nisb" ::"r"(c) : "memory"); (void)kernel_sleep(1); } '
        "(void)load((uintptr_t)core_words);",
        inside=True,
    ),
    Guest(
        "moves_stack_pointers",
        r'ASM("movs r1, #0\nmsr msp, r1\nmsr psp, r1"); (void)kernel_sleep(2); done();',
        ends=EXIT,
    ),
    Guest(
        "limits_stack_pointers",
        r'ASM("mvn r1, #7\nmsr msplim, r1\nmsr psplim, r1"); (void)kernel_sleep(2); done();',
        ends=EXIT,
        boards=(M33,),
    ),
    Guest(
        "writes_program_status",
        r'ASM("mvn r1, #0\nmsr apsr_nzcvq, r1\nmsr iapsr_nzcvq, r1\nmsr eapsr_nzcvq, r1\n'
        r'msr xpsr_nzcvq, r1"); (void)kernel_sleep(1); done();',
        ends=EXIT,
    ),
    Guest(
        "reads_special_registers",
        "uint32_t found = 0; "
        r'__asm volatile("mrs r1, msp\nmrs r2, psp\norrs %0, r1, r2\nmrs r1, primask\n'
        r'orrs %0, r1\nmrs r1, basepri\norrs %0, r1\nmrs r1, ipsr\norrs %0, r1" '
        ': "+r"(found)::"r1", "r2", "cc"); if (found != 0u) { breach(found); } done();',
        ends=EXIT,
    ),
    Guest(
        "first_registers",
        r'ASM("mov r0, r1\norrs r0, r2\norrs r0, r3\norrs r0, r4\norrs r0, r5\norrs r0, r6\n'
        r"orrs r0, r7\norrs r0, r8\norrs r0, r9\norrs r0, r10\norrs r0, r11\norrs r0, r12\n"
        r'cbz r0, 1f\nb breach_of\n1: b done");',
        ends=EXIT,
    ),
)

_PLANT: Final = "keep_in_fpu(0x600d0000u); "

FPU: Final = (
    Guest("fpu_at_first", "look_for(fpu_words(memory), 33, 0); done();", EXIT, fpu=True),
    Guest(
        "fpu_at_first_after_calls",
        "for (int i = 0; i < 5; i++) { (void)kernel_sleep(1); } "
        "look_for(fpu_words(memory), 33, 0); done();",
        ends=EXIT,
        fpu=True,
    ),
    Guest(
        "fpu_at_first_after_interrupts",
        "for (uint32_t i = 0; i < 100000u; i++) { *word(memory, 40) = i; } "
        "look_for(fpu_words(memory), 33, 0); done();",
        ends=EXIT,
        fpu=True,
        low=True,
    ),
    Guest(
        "fpu_keeps_over_calls",
        f"for (int i = 0; i < 10; i++) {{ {_PLANT} (void)kernel_sleep(1); "
        "look_for(fpu_words(memory), 32, 0x600d0000u); } done();",
        ends=EXIT,
        fpu=True,
    ),
    Guest(
        "fpu_keeps_over_interrupts",
        f"for (int i = 0; i < 5; i++) {{ {_PLANT} "
        r'ASM("movw r1, #60000\n1: subs r1, #1\nbne 1b" ::: "r1", "cc"); '
        "look_for(fpu_words(memory), 32, 0x600d0000u); } done();",
        ends=EXIT,
        fpu=True,
        low=True,
    ),
    Guest(
        "fpu_of_mate",
        "for (int i = 0; i < 5; i++) { keep_in_fpu(0x600d0000u); (void)kernel_sleep(1); "
        "look_for(fpu_words(memory), 32, 0x600d0000u); } done();",
        ends=EXIT,
        mate="for (;;) { keep_in_fpu(0x0bad0000u); (void)kernel_sleep(1); }",
        mate_ends=True,
        fpu=True,
    ),
    Guest("fpu_state_of_lazy_saving", "use_fpu(); store(0xe000ef38u, (uintptr_t)core_words);"),
    Guest("fpu_dies_with_it", 'use_fpu(); ASM("udf #0");', fpu=True),
)
