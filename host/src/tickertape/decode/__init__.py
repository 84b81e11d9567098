"""From bytes to events, without any I/O.

    frames     link bytes -> frames
    sequence   frames -> which are new, doubled, or of another boot
    bodies     frame bodies -> HELLO, BUFFER, STATUS, NAME
    packed     PACKED bodies -> BUFFER, many at once
    records    raw records -> columns
    clock      low words and anchors -> 64-bit time
    combine    BEGIN, CONTINUE, END -> events with a payload
    events     what comes out: columns for machines, single events for people
    gaps       where a ring's records are missing
    ring       all of that for one ring, chunk by chunk, in constant memory

Nothing here knows a device or a file.
"""
