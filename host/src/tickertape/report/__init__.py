"""Answers in words, tables and pictures, for a terminal, a page and a notebook."""
