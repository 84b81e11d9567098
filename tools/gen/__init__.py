"""Makes C headers, Python tables, vectors and pages from `protocol/*.yaml`.

Run as `python -m tools.gen`; with `--check` nothing is written and a stale file is an error.

    source        YAML with line numbers, checked against its JSON Schema
    dictionary    events.yaml as values: classes, events, routes, the hash
    layout        wire.yaml as values: header bits, enums, struct layouts
    c_*, py_*     one generated file each
    page          docs/events.md
    vectors       golden vectors, made by a reference encoder that shares no code with the product
    released      what a released version promised, and the check that it is kept
    outputs       the list of all generated files
"""
