"""Drivers of the boards, over registers that a test plays."""
