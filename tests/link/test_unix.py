"""Listening Unix sockets: for one user only, and no existing file is damaged."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.support.patience import HANG_S
from tickertape.errors import LinkBusy, LinkDenied, LinkError, LinkLost, LinkMissing, UsageError
from tickertape.link import open_link
from tickertape.link.unix import UnixListener

if TYPE_CHECKING:
    from pathlib import Path

NOBODY_UID = 65_534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s"


def test_bytes_go_both_ways_and_the_name_goes_at_the_end(path: Path) -> None:
    with closing(UnixListener(str(path))) as listener:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert listener.accept(0.0) is None
        with closing(open_link(f"unix:{path}")) as ours:
            theirs = listener.accept(5.0)
            assert theirs is not None
            ours.write(b"there")
            theirs.write(b"back")
            assert (theirs.read(9, 5.0), ours.read(9, 5.0)) == (b"there", b"back")
            theirs.close()
    assert not path.exists()


def test_a_caller_that_reads_nothing_does_not_hold_us_up(path: Path) -> None:
    with closing(UnixListener(str(path))) as listener, closing(open_link(f"unix:{path}")):
        theirs = listener.accept(5.0)
        assert theirs is not None
        with pytest.raises(LinkLost):
            theirs.write(bytes(10_000_000))
        theirs.close()


def test_a_dead_socket_is_replaced_and_a_living_one_is_not(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with closing(UnixListener(str(path))):
        with pytest.raises(LinkBusy, match="another program listens"):
            UnixListener(str(path))
        with closing(open_link(str(path))):
            pass
    assert not path.exists()


def test_a_file_stays(path: Path) -> None:
    path.write_text("dear")
    with pytest.raises(LinkBusy, match="is not a socket"):
        UnixListener(str(path))
    assert path.read_text() == "dear"


def test_who_took_our_name_keeps_it(path: Path) -> None:
    with closing(UnixListener(str(path))):
        path.unlink()
        path.write_text("dear")
    assert path.read_text() == "dear"


def test_somebody_may_come_late(path: Path) -> None:
    listeners: list[UnixListener] = []
    timer = threading.Timer(0.2, lambda: listeners.append(UnixListener(str(path))))
    timer.start()
    open_link(f"unix:{path}", wait_s=20.0).close()
    timer.join()
    listeners[0].close()


@pytest.mark.parametrize("use", [UnixListener, lambda path: open_link(path, wait_s=0.0)])
def test_a_path_that_no_socket_can_have(tmp_path: Path, use: type[UnixListener]) -> None:
    prefix = "" if use is UnixListener else "unix:"
    with pytest.raises(UsageError, match="too long"):
        use(prefix + str(tmp_path / ("x" * 120)))


def test_who_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LinkMissing, match="there is no socket"):
        open_link(f"unix:{tmp_path}/none", wait_s=0.0)
    with pytest.raises(LinkError, match="cannot listen"):
        UnixListener(f"{tmp_path}/none/s")
    (tmp_path / "file").touch()
    with pytest.raises(LinkMissing, match="no program listens"):
        open_link(f"unix:{tmp_path}/file", wait_s=0.0)


CALL = """
import os, socket, sys
os.setgid({uid}); os.setuid({uid})
with socket.socket(socket.AF_UNIX) as call:
    call.settimeout(20)
    call.connect(sys.argv[1])
    print(len(call.recv(10)))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can become another user")
def test_another_user_is_turned_away_even_where_the_file_lets_him_in(path: Path) -> None:
    for folder in (path.parent, *path.parent.parents):
        if folder.owner() == "root" and not folder.stat().st_mode & stat.S_IXOTH:
            folder.chmod(0o755)
    with closing(UnixListener(str(path))) as listener:
        command = [sys.executable, "-c", CALL.format(uid=NOBODY_UID), str(path)]
        denied = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "PermissionError" in denied.stderr
        path.chmod(0o666)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as caller:
            assert listener.accept(20.0) is None
            assert caller.communicate(timeout=HANG_S)[0] == "0\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may make a socket anywhere")
def test_a_folder_of_somebody_else() -> None:
    with pytest.raises(LinkDenied):
        UnixListener("/tickertape.sock")
