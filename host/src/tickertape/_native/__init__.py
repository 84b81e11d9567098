"""The optional compiled part: the same work as numpy and Python, several times faster.

    engine      chooses and loads it
    interface   structs and functions (generated from protocol/native.yaml)

It is plain C without Python's headers. `tools/native_build.py` builds it when the package is
installed and a C compiler exists. Python calls it through ctypes, once per chunk of records. If it
is missing, or TICKERTAPE_NATIVE=0 is set, numpy and Python do the same work.
"""
