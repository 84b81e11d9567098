"""Tapes made of the files of other tools: one module per format."""
