"""Make tapes from tapes: cut, merge, repair, rotate, add a note."""
