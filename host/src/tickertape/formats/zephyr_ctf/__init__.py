"""CTF streams of Zephyr's own tracing: reader."""
