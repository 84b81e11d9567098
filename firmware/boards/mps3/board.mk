# Arm MPS3 board in QEMU: BOARD=mps3-an547 (Cortex-M55). Its sources are those of mps2: the devices
# are the same, the addresses, the timers and the processor are not.
BOARD_DIR := boards/mps2
include $(BOARD_DIR)/board.mk
