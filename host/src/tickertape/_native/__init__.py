"""The optional compiled part: what numpy does elsewhere in this package, several times faster.

    library     finds and loads it
    assembler   raw records -> columns of events (reference: tickertape.decode.ring)
    crc         CRC-32 of chunks (reference: zlib)

It is plain C without Python's headers, built by `tools/native_build.py` when the package is
installed and a C compiler is there, and called through ctypes, once for a whole chunk of records.
Where it is missing, or TICKERTAPE_NATIVE=0 is set, everything works without it.
"""
