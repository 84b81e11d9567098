"""Best Trace Format: reader, writer and checker. The checker does not use tapes."""

from __future__ import annotations

from typing import Final

from tickertape.formats.registry import INCOMPLETE, STREAM, Conversion, Option

VERSIONS: Final = {"2.1": "2.1.5", "2.3": "2.3.0"}

EXPORTS: Final = {
    "btf": Conversion(
        "btf.write:export_btf",
        "system trace in the Best Trace Format",
        "{lines} lines of {events} events",
        notes={
            "losses": "records are missing at {losses} places, see its comments",
            "without_source": "{without_source} changes that the format cannot express are "
            "comments",
            **INCOMPLETE,
        },
        options=(
            Option(
                "--version",
                "version of the format (default: 2.3)",
                default="2.3",
                choices=tuple(VERSIONS),
            ),
            STREAM,
        ),
        output=("X.btf", "the file to write"),
        names_code=True,
    )
}
IMPORTS: Final = {
    "btf": Conversion(
        "btf.read:import_btf",
        "system trace in the Best Trace Format",
        "{events} lines became {records} events",
        file=("FILE", "the file to read, plain or .gz"),
        counted="events",
        page="docs/btf.md",
    )
}
