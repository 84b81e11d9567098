"""Make tapes from tapes: cut, merge, repair, note."""
