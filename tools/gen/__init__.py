"""Generate C headers, Python tables, vectors and pages from `protocol/*.yaml`.

Run as `python -m tools.gen`; with `--check` it writes nothing, and a stale file is an error.

    source            YAML with line numbers, checked against its JSON Schema
    dictionary        events.yaml as values: classes, events, routes, the hash
    layout            wire.yaml as values: header bits, enums, struct layouts
    dictionary_rules  rules beyond the schema of events.yaml; complaints is shared
    layout_rules      rules beyond the schema of wire.yaml
    c_*, py_*         one generated file each; c_routes is a part of c_events
    page              docs/events.md
    reference         a plain encoder of records and frames, close to the specification
    vector_cases      contents of the golden vectors; vectors and c_vectors write them
    released          the check that the sources keep the promises of released versions
    outputs           the list of all generated files
"""
