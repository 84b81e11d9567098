# Arm MPS2 boards in QEMU: BOARD=mps2-an385 (Cortex-M3) or mps2-an386 (Cortex-M4F).
# TICK=systick takes SysTick as the kernel's tick instead of CMSDK timer 0.
CROSS := arm-none-eabi-
PORT := cortex_m
OUTPUT_SUFFIX := .elf

CPU_mps2-an385 := -mcpu=cortex-m3
CPU_mps2-an386 := -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16
CPU := $(CPU_$(BOARD))
$(if $(CPU),,$(error no board $(BOARD); there are mps2-an385, mps2-an386 and native))

ifeq ($(TICK),systick)
BOARD_DEFINES := BOARD_TICK_SYSTICK=1
VARIANT += systick
endif

TARGET_FLAGS := $(CPU) -mthumb -ffreestanding
TARGET_LDFLAGS := $(CPU) -mthumb -nostartfiles --specs=nano.specs -T boards/mps2/mps2.ld
