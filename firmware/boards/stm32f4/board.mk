# STM32F407 Discovery and boards with an STM32F405 or F407 and a crystal of 8 MHz; in QEMU the machine
# netduinoplus2. The trace goes over USART2 (PA2, PA3).
CROSS := arm-none-eabi-
PORT := cortex_m
BOARD_COMMON := boards/cortex_m boards/no_network boards/cortex_m/one_cpu
OUTPUT_SUFFIX := .elf

BOARD_DEFINES := KERNEL_MAX_IRQS=51

CPU := -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16
TARGET_FLAGS := $(CPU) -mthumb -ffreestanding
TARGET_LDFLAGS := $(CPU) -mthumb -nostartfiles --specs=nano.specs -Lboards/cortex_m \
                  -T boards/stm32f4/stm32f407.ld
