"""The optional compiled part: what numpy and Python do elsewhere, several times faster.

    engine      chooses and loads it
    interface   structs and functions (generated from protocol/native.yaml)

It is plain C without Python's headers, built by `tools/native_build.py` when the package is
installed and a C compiler is there, and called through ctypes, once for a whole chunk of records.
Where it is missing, or TICKERTAPE_NATIVE=0 is set, everything works without it.
"""
