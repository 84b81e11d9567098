"""Time limit of tests for operations that take a short time."""

HANG_S = 280
"""Seconds after which a process counts as hanging. Even on a busy machine it takes a small part of
this time. pytest's time limit for a test is longer (pyproject.toml)."""
