# BBC micro:bit, first version (nRF51822: Cortex-M0, 256 KiB of flash, 16 KiB of RAM): on a board, and
# in QEMU's machine microbit. The recorder keeps 2 KiB of records; an application sets other sizes
# with DEFINES.
CROSS := arm-none-eabi-
PORT := cortex_m
BOARD_COMMON := boards/cortex_m boards/no_network boards/cortex_m/one_cpu
OUTPUT_SUFFIX := .elf

# Options of the command line or of the example override those of this board.
or_default = $(if $(findstring $(1)=,$(DEFINES) $(EXAMPLE_DEFINES)),,$(1)=$(2))
SMALL = $(filter TT_CONFIG_SMALL=1,$(DEFINES) $(EXAMPLE_DEFINES))
BOARD_DEFINES = $(if $(SMALL),,$(call or_default,TT_CONFIG_BUFFERS,4) \
                  $(call or_default,TT_CONFIG_BUFFER_RECORDS,32) \
                  $(call or_default,TT_CONFIG_FILTERS,2)) \
                $(call or_default,BOARD_RTT_BYTES,1024) \
                $(call or_default,KERNEL_MAX_THREADS,12) \
                $(call or_default,KERNEL_MAX_IRQS,24) \
                $(call or_default,KERNEL_IDLE_STACK_BYTES,256)

TARGET_FLAGS := -mcpu=cortex-m0 -mthumb -masm-syntax-unified -ffreestanding
TARGET_LDFLAGS = $(if $(MAIN_STACK),-Wl$(comma)--defsym=main_stack=$(MAIN_STACK)) -mcpu=cortex-m0 -mthumb -nostartfiles --specs=nano.specs -Lboards/cortex_m \
                  -T boards/microbit/nrf51.ld
