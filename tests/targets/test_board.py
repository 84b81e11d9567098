"""`run --target board:NAME` with an emulated STM32F4 at a pseudo terminal instead of the board.

The flash tool is a process, too; it operates the switch of tests/lab/board.py. The test makes the
folders in which Linux lists USB devices.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from tests.support.patience import HANG_S
from tests.support.programs import ROOT
from tests.support.usb import usb
from tickertape import Tape
from tickertape.cli import targets as listing
from tickertape.cli.inside import command
from tickertape.errors import TickertapeError
from tickertape.targets import board_target, find_target, probes
from tickertape.targets import flash as flashing
from tickertape.targets.boards import BOARDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOOL = """#!{python}
import json, socket, sys
from pathlib import Path
def act(words):
    with socket.create_connection(("127.0.0.1", {switch})) as board:
        board.sendall(f"{{words}}\\n".encode())
        assert board.makefile().readline() == "done\\n"
with Path("{log}").open("a") as log:
    print(sys.argv[1], *(["--probe"] if "--probe" in sys.argv else []), file=log)
image = Path("{other}")
if sys.argv[1] == "load":
    act(f"load {{image if image.exists() else sys.argv[-1]}}")
elif sys.argv[1] == "reset":
    act("reset")
"""


class Bench:
    """A board on a desk.

    Attributes:
        tty: path of its serial port, below a folder that replaces /dev.
        log: file with the calls of the flash tool.
        other: path of an image that the tool writes instead, if it exists.
    """

    def __init__(self, folder: Path, serial: str, switch: int) -> None:
        self.tty = folder / "dev/ttyACM3"
        self.log = folder / "log"
        self.other = folder / "other.elf"
        self._folder = folder
        device = self.probe(4, "0483", "374b", "066FFF")
        (device / "1-4:1.2/tty/ttyACM3").mkdir(parents=True)
        self.tty.symlink_to(serial)
        tool = folder / "pyocd"
        tool.write_text(
            TOOL.format(python=sys.executable, switch=switch, log=self.log, other=self.other)
        )
        tool.chmod(0o755)

    def probe(self, number: int, vendor: str, product: str, serial: str) -> Path:
        return usb(self._folder, number, vendor, product, serial)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    words = [sys.executable, "-m", "tests.lab.board", "qemu:stm32f4", "pty"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as board:
        try:
            assert board.stdout is not None
            places = json.loads(board.stdout.readline())
            made = Bench(tmp_path, places["serial"], places["switch"])
            here = partial(probes.connected, tmp_path / "sys", tmp_path / "dev")
            for module in (board_target, flashing, listing):
                monkeypatch.setattr(module, "connected", here)
            monkeypatch.setattr(flashing, "_program", lambda _: str(tmp_path / "pyocd"))
            yield made
        finally:
            board.kill()


def run(folder: Path, target: str = "board:stm32f4_discovery", *more: str) -> tuple[int, str]:
    words = ("--duration", str(HANG_S), "-o", str(folder / "T.tape"))
    said = command("run", "--target", target, *words, *more)
    return said.code, said.complaint or said.out


@pytest.mark.process
def test_a_board_is_flashed_reset_and_recorded(bench: Bench, tmp_path: Path) -> None:
    """The run ends when the firmware announces its end."""
    code, said = run(tmp_path)
    assert (code, said.count("nothing lost")) == (0, 1), said
    assert bench.log.read_text().split("\n") == ["load", "commander", "reset", ""]
    with Tape(tmp_path / "T.tape") as tape:
        total = tape.balance.total
        assert total.offered == total.delivered > 1000
        assert tape.balance.final
        assert tape.meta["target"] == "board:stm32f4_discovery"
        assert tape.meta["board"] == "stm32f4"
        assert not tape.meta["virtual_time"]
    bench.other.write_bytes(find_target("stm32f4").build("messages").path.read_bytes())
    code, said = run(tmp_path, "board:stm32f4_discovery@66F")
    assert code == 6
    assert "the traced firmware was build" in said
    assert bench.log.read_text().split("\n")[-2] == "reset --probe"


def test_what_is_wrong_at_the_desk(bench: Bench, tmp_path: Path) -> None:
    """Nothing is flashed before the probe and its port were found."""
    image = str(find_target("stm32f4").build("first_tape").path)
    wrong = run(tmp_path, "board:stm32f4_discovery", "--image", image, "--option", "x=1")
    assert "board:stm32f4_discovery takes no options: x; leave --option out" in wrong[1]
    wrong = run(tmp_path, "board:stm32f4_discovery", "--image", image, "--link", "udp")
    assert wrong[0] == 7
    assert "has no network" in wrong[1]
    code, said = run(tmp_path, "board:stm32f4_discovery@777", "--image", image)
    assert (code, "no debug probe has the id 777; connected: 066FFF (ST-LINK)" in said) == (3, True)
    bench.tty.unlink()
    code, said = run(tmp_path, "board:stm32f4_discovery", "--image", image)
    assert (code, f"there is no device or file {bench.tty}; plug the device in" in said) == (
        3,
        True,
    )
    bench.log.unlink()  # the port is opened after flashing
    bench.probe(5, "1366", "0105", "000683")
    code, said = run(tmp_path, "board:stm32f4_discovery", "--image", image)
    assert code == 3
    assert "2 debug probes match: 066FFF (ST-LINK), 000683 (J-Link); name one: --target" in said
    code, said = run(tmp_path, "board:stm32f4_discovery@683", "--image", image)
    assert (code, "the J-Link 000683 has no serial port; connect one to" in said) == (3, True)
    (tmp_path / "dev/bus/usb/001/005").unlink()
    code, said = run(tmp_path, "board:stm32f4_discovery@683", "--image", image)
    assert code == 3
    assert 'ATTR{idVendor}=="1366", MODE="0660", TAG+="uaccess"' in said
    assert not bench.log.exists()
    assert listing.row_of("board:microbit").missing == []


def test_a_desk_without_a_probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_target, "connected", list)
    monkeypatch.setattr(listing, "connected", list)
    image = str(find_target("stm32f4").build("first_tape").path)
    code, said = run(tmp_path, "board:stm32f4_discovery", "--image", image)
    assert (code, said) == (
        3,
        "tickertape: no debug probe is connected; plug one in; lsusb shows it",
    )
    assert "debug probe" in listing.row_of("board:stm32f4_discovery").missing
    for name, reason in (
        ("stm32f4-discovery", "did you mean stm32f4_d"),
        ("microbit@", "no probe"),
    ):
        with pytest.raises(TickertapeError, match=reason):
            find_target(f"board:{name}")


def test_probes_where_linux_lists_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On other systems, pyserial reports vendor, product and id of a serial port."""
    ports = [
        SimpleNamespace(device=name, vid=vendor, pid=product, serial_number=serial)
        for name, vendor, product, serial in (
            ("COM4", 0x0D28, 0x0204, "9900"),
            ("COM6", 0x1366, 0x1015, "683"),
            ("COM5", 0x1366, 0x1015, "683"),
            ("COM1", None, None, None),
        )
    ]
    monkeypatch.setattr(probes, "comports", lambda: ports)
    found = probes.connected(tmp_path / "none")
    assert [(one.kind, one.serial, [str(port) for port in one.ports]) for one in found] == [
        ("DAPLink", "9900", ["COM4"]),
        ("J-Link", "683", ["COM5", "COM6"]),
    ]
    monkeypatch.setattr(board_target, "connected", lambda: found)
    with pytest.raises(TickertapeError, match="J-Link 683 has COM5 and COM6; connect one"):
        find_target("board:microbit@683").start(find_target("microbit").build("priority_inversion"))


@pytest.mark.parametrize("name", BOARDS)
def test_the_rate_is_that_of_the_firmware(name: str) -> None:
    board = BOARDS[name]
    text = (ROOT / f"firmware/boards/{board.firmware}/board_config.h").read_text()
    found = re.search(r"#define BOARD_TRACE_BAUD (\d+)u", text)
    assert found is not None
    assert int(found[1]) == board.baud
