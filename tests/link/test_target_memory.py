"""Links through a target's memory end in time, whatever happens to the memory."""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.patience import HANG_S
from tickertape.errors import ForeignFile, LinkLost
from tickertape.formats.image.memory import read_image
from tickertape.link.gdb_server import GdbMemory
from tickertape.link.openocd import OpenOcdMemory
from tickertape.link.target_memory import FileMemory, TargetMemoryLink
from tickertape.probe.opener import RamFile
from tickertape.protocol.wire import MEMORY_LINK_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_PAGE = 4096
_PAGES = 16


def shortened(ram: Path) -> None:
    with ram.open("r+b") as file:
        file.truncate(_PAGE)


def replaced(ram: Path) -> None:
    ram.with_name("new").write_bytes(bytes(_PAGES * _PAGE))
    ram.with_name("new").replace(ram)


@pytest.fixture
def ram(tmp_path: Path) -> Path:
    path = tmp_path / "ram"
    path.write_bytes(bytes(_PAGES * _PAGE))
    return path


@pytest.mark.parametrize("happens", [shortened, replaced, lambda ram: ram.unlink()])
def test_a_lost_memory_file_ends_the_link(ram: Path, happens: Callable[[Path], None]) -> None:
    """A mapping of it would end the process by SIGBUS."""
    link = TargetMemoryLink(FileMemory(str(ram), None), f"memory:{ram}")
    assert link.read(100, 0) == b""
    happens(ram)
    with pytest.raises(LinkLost, match="became shorter or was replaced"):
        link.read(100, 0)
    assert link.at_end
    link.close()


def test_reading_past_the_end_of_a_short_file_gives_nothing(ram: Path) -> None:
    memory = RamFile(FileMemory(str(ram), None), 0x2000_0000)
    place = 0x2000_0000 + 8 * _PAGE
    assert memory.read(place, 4) == bytes(4)
    shortened(ram)
    assert memory.read(place, 4) == b""
    with pytest.raises(LinkLost):
        memory.write(place, bytes(4))
    memory.close()


def test_a_memory_file_is_written_in_words(ram: Path) -> None:
    memory = FileMemory(str(ram), 0)
    memory.write(8, b"\1\2\3\4")
    memory.write(13, b"ab")
    assert memory.read(8, 8) == b"\1\2\3\4\0ab\0"
    memory.close()


def test_an_image_without_end_is_refused(ram: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tickertape.formats.image.memory._MOST_IMAGE_BYTES", _PAGES * _PAGE - 1)
    with pytest.raises(ForeignFile, match="has more than"):
        read_image(ram, 0)


def gdb_packet(text: str) -> bytes:
    return f"${text}#{sum(text.encode()) % 256:02x}".encode()


def answer_then_be_silent(server: socket.socket) -> None:
    """Answer the requests that open a link, then nothing."""
    server.recv(100)
    server.sendall(gdb_packet("S05"))
    server.recv(100)
    server.sendall(gdb_packet(""))
    server.recv(100)
    server.sendall(gdb_packet("00" * MEMORY_LINK_BYTES))


def test_a_silent_gdb_server_ends_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = socket.create_connection(listener.getsockname())
        theirs, _ = listener.accept()
    thread = threading.Thread(target=answer_then_be_silent, args=[theirs], daemon=True)
    thread.start()
    link = TargetMemoryLink(GdbMemory(ours, 0x2000_0000, "probe:gdb"), "probe:gdb")
    thread.join(HANG_S)
    check_end_in_time(link)
    theirs.close()


def test_a_silent_openocd_ends_in_time() -> None:
    ours, theirs = socket.socketpair()
    memory = OpenOcdMemory(ours, "probe:openocd")
    memory.end_by(time.monotonic())
    with pytest.raises(LinkLost, match="does not answer"):
        memory.read(0x2000_0000, 4)
    assert memory.at_end
    memory.close()
    theirs.close()


def check_end_in_time(link: TargetMemoryLink) -> None:
    """The link gives up long before its usual patience, and closing it does not wait again."""
    link.end_by(time.monotonic())
    with pytest.raises(LinkLost, match="does not answer"):
        link.read(100, 0)
    assert link.at_end
    link.close()
