"""`tickertape view`: a timeline of a tape in the browser.

    tape → build → index (rows of intervals on disk) → queries → server or one HTML file → page

The index is exact. Zooming never samples: a tile of a row contains the time of every state in each
of its pixels, and how many intervals begin there. docs/adr/0074 has the reasons.
"""
