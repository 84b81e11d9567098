"""The optional compiled part: the same results as numpy and Python, several times faster.

    engine      selects and loads it
    interface   structs and functions (generated from protocol/native.yaml)

It is plain C without Python's headers. `tools/native_build.py` builds it when the package is
installed, if a C compiler exists. Python calls it through ctypes, once per chunk of records. If the
compiled part is missing, or TICKERTAPE_NATIVE=0 is set, numpy and Python are used instead.
"""
