"""Answers as text, tables and pictures, for a terminal, a page and a notebook."""
