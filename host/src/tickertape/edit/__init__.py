"""Tapes made from tapes: cut, merge, repair, note."""
