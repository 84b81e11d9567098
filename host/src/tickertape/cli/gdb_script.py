"""The command `tape save T.tape` for GDB: writes the trace in a halted target's memory to a tape.

    (gdb) source tickertape-gdb.py
    (gdb) tape save crash.tape

It needs the program `tickertape` on the PATH, or its name in `set $tickertape = "/path/to/it"`.
GDB runs this file; `tickertape recover --gdb-script` prints it.
"""

from __future__ import annotations

import re
import struct
import subprocess
import tempfile
from pathlib import Path

import gdb  # type: ignore[import-untyped]  # exists inside of GDB only

_SECTION = re.compile(r"0x([0-9a-f]+)->0x([0-9a-f]+) at .*?: (\S+) (.*)")
_HEAD = struct.Struct("<16sHHIIIIIHHHHHH")
_PROGRAM = struct.Struct("<8I")
_LOAD, _NOTE = 1, 4
_CORE, _ARM = 4, 40
_NAME = b"tickertape\0\0"


def _memory() -> list[tuple[int, bytes]]:
    """Read all sections of writable data; return address and bytes of each."""
    listing = gdb.execute("maintenance info sections", to_string=True)
    inferior = gdb.selected_inferior()
    found = []
    for line in listing.splitlines():
        section = _SECTION.search(line)
        flags = section[4].split() if section else []
        if section and "ALLOC" in flags and "READONLY" not in flags and "CODE" not in flags:
            begin, end = int(section[1], 16), int(section[2], 16)
            if end > begin:
                found.append((begin, bytes(inferior.read_memory(begin, end - begin))))
    return found


def _cpus() -> bytes:
    """Return pc and xpsr of each halted CPU, as a note of the ELF core."""
    was = gdb.selected_thread()
    desc = b""
    for thread in sorted(gdb.selected_inferior().threads(), key=lambda one: one.num):
        thread.switch()
        frame = gdb.newest_frame()
        try:
            psr = int(frame.read_register("xpsr"))
        except ValueError:  # not a Cortex-M: exceptions are unknown
            psr = 0x1FF
        desc += struct.pack("<II", int(frame.pc()) & ~1 & 0xFFFFFFFF, psr & 0xFFFFFFFF)
    was.switch()
    return struct.pack("<III", len(_NAME), len(desc), 1) + _NAME + desc


def _core() -> bytes:
    """Return an ELF core file of the target."""
    parts = [(_NOTE, 0, _cpus()), *((_LOAD, address, data) for address, data in _memory())]
    mark = b"\x7fELF\x01\x01\x01".ljust(16, b"\0")
    sizes = (_HEAD.size, _PROGRAM.size, len(parts), 0, 0, 0)
    head = _HEAD.pack(mark, _CORE, _ARM, 1, 0, _HEAD.size, 0, 0, *sizes)
    offset = _HEAD.size + _PROGRAM.size * len(parts)
    for kind, address, data in parts:
        size = len(data)
        head += _PROGRAM.pack(kind, offset, address, address, size, size, 6, 1)
        offset += size
    return head + b"".join(data for _, _, data in parts)


class _Tape(gdb.Command):  # type: ignore[misc]  # gdb has no types
    """The trace in the memory of the target: tape save T.tape."""

    def __init__(self) -> None:
        super().__init__("tape", gdb.COMMAND_DATA, gdb.COMPLETE_FILENAME)

    def invoke(self, text: str, _from_terminal: bool) -> None:  # noqa: FBT001 - given by GDB
        """Run the command.

        Raises:
            gdb.GdbError: the arguments are wrong, no target is halted, or the recovery failed.
        """
        verb, *tapes = gdb.string_to_argv(text) or [""]
        if verb != "save" or len(tapes) != 1:
            raise gdb.GdbError("write: tape save T.tape")
        elf = gdb.current_progspace().filename
        if elf is None or not gdb.selected_inferior().threads():
            raise gdb.GdbError("there is no halted target with an ELF file; use file and target")
        program = gdb.convenience_variable("tickertape")
        with tempfile.TemporaryDirectory() as folder:
            core = Path(folder) / "target.core"
            core.write_bytes(_core())
            name = program.string() if program is not None else "tickertape"
            command = [name, "recover", str(core), "--elf", elf, "-o", tapes[0]]
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=False)
            except OSError as error:
                raise gdb.GdbError(f'{name}: {error.strerror}; set $tickertape = "..."') from error
        gdb.write(done.stdout)
        if done.returncode:
            raise gdb.GdbError(done.stderr.strip())
        gdb.write(done.stderr)


_Tape()
