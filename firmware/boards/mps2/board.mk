# Arm MPS2 and MPS3 boards in QEMU: BOARD=mps2-an385 (Cortex-M3), mps2-an386 (Cortex-M4F), mps2-an500
# (Cortex-M7), mps2-an505 (Cortex-M33), mps2-an521 (two Cortex-M33; CPU 0 has neither FPU nor DSP
# instructions) or mps3-an547 (Cortex-M55).
# TICK=systick makes SysTick the kernel's tick instead of a device timer.
CROSS := arm-none-eabi-
PORT := cortex_m
BOARD_COMMON := boards/cortex_m
OUTPUT_SUFFIX := .elf

CPU_mps2-an385 := -mcpu=cortex-m3
CPU_mps2-an386 := -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16
CPU_mps2-an500 := -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-sp-d16
CPU_mps2-an505 := -mcpu=cortex-m33 -mfloat-abi=hard -mfpu=fpv5-sp-d16
CPU_mps2-an521 := -mcpu=cortex-m33+nodsp -mfloat-abi=soft
CPU_mps3-an547 := -mcpu=cortex-m55 -mfloat-abi=hard
CPU := $(CPU_$(BOARD))
$(if $(CPU),,$(error no board $(BOARD); there are $(BOARDS)))

ifeq ($(BOARD),mps2-an521)
MEMORY := an521
# Recorder and kernel use both CPUs; with DEFINES="TT_CONFIG_CPUS=1 KERNEL_CPUS=1" only the first.
BOARD_DEFINES := MPS2_M33=1 MPS2_AN521=1 KERNEL_CPU_REGISTER=0x5001f000u \
                 $(if $(findstring KERNEL_CPUS=,$(DEFINES)),,KERNEL_CPUS=2) \
                 $(if $(findstring TT_CONFIG_CPUS=,$(DEFINES)),,TT_CONFIG_CPUS=2)
else ifeq ($(BOARD),mps2-an505)
MEMORY := an521
BOARD_DEFINES := MPS2_M33=1
else ifeq ($(BOARD),mps3-an547)
MEMORY := an547
BOARD_DEFINES := MPS2_AN547=1
else
MEMORY := an385
endif

ifeq ($(TICK),systick)
BOARD_DEFINES += BOARD_TICK_SYSTICK=1
VARIANT += systick
endif

TARGET_FLAGS := $(CPU) -mthumb -ffreestanding
TARGET_LDFLAGS := $(CPU) -mthumb -nostartfiles --specs=nano.specs -Lboards/cortex_m -Lboards/mps2 \
                  -T boards/mps2/$(MEMORY).ld
