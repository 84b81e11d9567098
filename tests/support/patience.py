"""How long tests wait for what never takes long."""

HANG_S = 280
"""A process that runs for so long hangs. A busy machine takes a small part of it; no test waits for
it to pass, and pytest gives up a test only after that (pyproject.toml)."""
