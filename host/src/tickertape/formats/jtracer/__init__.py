"""Files of JTracer: reader and writer."""

from __future__ import annotations

from typing import Final

from tickertape.formats.registry import TIME_GOES_BACK, Conversion

EXPORTS: Final = {
    "jtracer": Conversion(
        "jtracer.write:export_jtracer",
        "the life of tasks for JTracer 1.2",
        "{records} records",
        notes={"gaps": "records are missing at {gaps} places; the file cannot show them"},
    )
}
IMPORTS: Final = {
    "jtracer": Conversion(
        "jtracer.read:import_jtracer",
        "the life of tasks, as JTracer shows it",
        "{records} records became {events} events",
        warnings={
            "unread": "record {unread} at byte {unread_byte:d} is cut or invalid; it and "
            "all records after it are left out, copy the file again if it was longer",
            "task_0": "task 0 is task {task_0:d} on the tape, where 0 is the idle task; if it is "
            "that, have the file call it idle",
            **TIME_GOES_BACK,
        },
        page="docs/shark.md",
    )
}
