# Arm MPS3 board in QEMU: BOARD=mps3-an547 (Cortex-M55). Its sources are those of mps2: the devices
# are the same; addresses, timers and processor differ.
BOARD_DIR := boards/mps2
include $(BOARD_DIR)/board.mk
