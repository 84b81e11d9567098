"""Answers computed from a tape."""
