"""The events of docs/btf.md: each event that we write occurs in a real trace, with its source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.formats.btf import VERSIONS
from tickertape.formats.btf.lines import BtfEvent, BtfLines
from tickertape.formats.btf.tables import RULES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

# The fourth run has nested interrupts and lost records.
RUNS = (
    *(("native", "system"), ("qemu-dual", "system"), ("native", "stress"), ("qemu-dual", "storm")),
    ("qemu-dual", "philosophers", "--option", "detail=1"),  # with spin locks
)

# Events without a counterpart on targets, see docs/btf.md.
NEVER = {
    *("interrupt_suspended", "mtalimitexceeded", "enforcedmigration", "exclusivesemaphore"),
}
# Events that no version describes, or that do not occur here: an interrupt never waits, no process
# is parked, only tasks migrate, and the examples never release all permits of a semaphore.
NOT_HERE = {
    *(("SCHED", "finalize"), ("SEM", "finalize"), ("SEM", "trigger"), ("SEM", "releasesemaphore")),
    *(("I", "wait"), ("I", "release"), ("SEM", "free"), ("I", "poll"), ("I", "run")),
    *((type_, event) for type_ in "TI" for event in ("park", "poll_parking", "release_parking")),
    *(("I", f"{how}migration") for how in ("bounded", "phase", "full")),
}

# Type of the source, by type of the target and event.
SOURCES = {
    "T": {"activate": "STI", "": "C"},
    "I": {"activate": "STI", "": "C"},
    "R": {"": "T"},
    "STI": {"trigger": "T I SELF SIM"},
    "SCHED": {"schedule": "SELF", "": "T"},
    "EVENT": {"set_event": "T I", "": "T"},
    "SIG": {"read": "T", "write": "T I STI"},
    "SEM": {
        **dict.fromkeys(("increment", "waiting"), "T"),
        **dict.fromkeys(("requestsemaphore", "assigned", "released", "decrement"), "T I"),
        "queued": "T SELF",
        "": "SELF",
    },
    "SIM": {"tag": "ECU Processor C", "description": "ECU", "": "SELF"},
    "SYS": {"": "SIM"},
}


def told(path: Path) -> set[tuple[str, str, str]]:
    """Return (type, event, type of the source) of the lines."""
    events = [item for item in BtfLines(path).items() if isinstance(item, BtfEvent)]
    types = {event.target: event.type for event in events}
    types |= {"ECU_0": "ECU", "Processor_0": "Processor"}
    types |= {f"Core_{cpu}": "C" for cpu in range(2)}
    return {
        (
            event.type,
            event.event,
            "SELF" if event.source == event.target else types.get(event.source, event.source),
        )
        for event in events
    }


def test_every_event_is_written_with_its_source(
    tickertape: Command, tickertape_inside: Command, tmp_path: Path
) -> None:
    found: dict[str, set[tuple[str, str, str]]] = {version: set() for version in VERSIONS}
    for target, example, *options in RUNS:
        words = ("--target", target, "--example", example, "-o", "x.tape", "--duration", "0.3")
        assert tickertape("run", *words, *options).returncode == 0
        for version, said in found.items():
            done = tickertape_inside("export", "btf", "x.tape", "-o", "x.btf", "--version", version)
            assert done.returncode == 0, done.stderr
            said.update(told(tmp_path / "x.btf"))
    for version, said in found.items():
        rules = {key for key, rule in RULES.items() if (rule.old if version == "2.1" else rule.new)}
        wanted = {key for key in rules if key[1] not in NEVER} - NOT_HERE
        assert {(type_, event) for type_, event, _ in said} >= wanted
        assert not {event for _, event, _ in said} & NEVER
        for type_, event, source in sorted(said):
            allowed = SOURCES[type_].get(event) or SOURCES[type_][""]
            assert source in allowed.split(), (type_, event, source)
