"""Keywords for Robot Framework, and a suite for every target."""
