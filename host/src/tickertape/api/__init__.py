"""The Python API: `tickertape.open`, `tickertape.Tape`, `tickertape.Parser`.

docs/python.md is the manual. The names in `tickertape.__all__` are stable; everything else may
change with any version.
"""
