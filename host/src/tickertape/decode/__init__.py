"""Decode bytes to events, without any I/O.

    frames     link bytes -> frames
    sequence   frames -> new, repeated, or of another boot
    bodies     frame bodies -> HELLO, BUFFER, STATUS, NAME
    packed     PACKED bodies -> BUFFER, many at once
    records    raw records -> columns
    clock      low words and anchors -> 64-bit time
    combine    BEGIN, CONTINUE, END -> events with a payload
    events     the results: columns of events, and single events
    gaps       the gaps of a ring
    ring       all steps for one ring, chunk by chunk, in constant memory

No module here uses a device or a file.
"""
