"""A Zephyr build for QEMU is started with the command of the build."""

from __future__ import annotations

import stat
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.patience import HANG_S
from tickertape.errors import TargetError
from tickertape.symbols.zephyr_build import ZephyrBuild
from tickertape.targets import ZephyrTarget

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

# Replacement of QEMU: sends its own command line over the last serial port.
EMULATOR = """#!{python} -IS
import socket, sys
place = sys.argv[-1]
host, port = place.removeprefix("tcp:").split(":")
with socket.create_connection((host, int(port))) as link:
    link.sendall(" ".join(sys.argv[1:]).encode())
"""
UART = {"CONFIG_QEMU_TARGET": "y", "CONFIG_BOARD": "some", "CONFIG_TICKERTAPE_LINK_UART": "y"}


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a build folder whose ninja prints a command for QEMU as in a Zephyr build."""
    emulator = program(tmp_path / "qemu-system-some", EMULATOR.format(python=sys.executable))
    command = (
        f"cd {tmp_path} && {emulator} -cpu some -pidfile qemu.pid -chardev stdio,id=con,mux=on "
        "-serial chardev:con -icount shift=6,align=off,sleep=off -kernel zephyr.elf"
    )
    answer = f"#!/bin/sh\necho 'cc -c a.c && cc -c b.c'\necho '{command}'\n"
    program(tmp_path / "bin/ninja", answer)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    (tmp_path / "zephyr").mkdir()
    (tmp_path / "zephyr/zephyr.elf").write_bytes(b"\x7fELF")
    return tmp_path


def build_of(folder: Path, uart: str | None = "uart1", **options: str) -> ZephyrBuild:
    return ZephyrBuild(folder / "zephyr/zephyr.elf", {**UART, **options}, 115200, uart)


@pytest.mark.process
@pytest.mark.parametrize(
    ("uart", "realtime", "wiring"),
    [
        ("uart1", False, "align=off,sleep=off -kernel zephyr.elf -serial tcp:"),
        ("uart1", True, "align=off,sleep=on -kernel zephyr.elf -serial tcp:"),
        ("uart3", False, "-kernel zephyr.elf -serial null -serial null -serial tcp:"),
    ],
)
def test_the_uart_of_the_trace_is_connected(
    folder: Path, uart: str, wiring: str, *, realtime: bool
) -> None:
    target = ZephyrTarget(build_of(folder, uart))
    words = b""
    with target.start(target.build("zephyr"), realtime=realtime) as run:
        while not run.link.at_end:
            words += run.link.read(1000, HANG_S)
        run.finish()
    assert words.startswith(b"-cpu some -chardev stdio")
    assert wiring.encode() in words


@pytest.mark.parametrize(
    ("uart", "options", "said"),
    [
        ("uart1", {"CONFIG_QEMU_TARGET": "n"}, "for a board, not for QEMU; flash it"),
        (
            None,
            {
                "CONFIG_TICKERTAPE_LINK_SEMIHOSTING": "y",
                "CONFIG_TICKERTAPE_FILE": "trace.bin",
            },
            "sends its trace to trace.bin; start it with: west build -t run, then capture",
        ),
        (None, {"CONFIG_TICKERTAPE_LINK_ITM": "y"}, "to another link than a UART"),
    ],
)
def test_a_build_that_cannot_be_started_is_refused(
    folder: Path, uart: str | None, options: dict[str, str], said: str
) -> None:
    with pytest.raises(TargetError) as refusal:
        ZephyrTarget(build_of(folder, uart, **options))
    assert said in str(refusal.value)


@pytest.mark.process
@pytest.mark.parametrize("uart", ["uart0", "usart2", "lpuart1"])
def test_a_uart_whose_place_in_qemu_is_unknown_is_refused(folder: Path, uart: str) -> None:
    target = ZephyrTarget(build_of(folder, uart))
    with pytest.raises(TargetError, match=f"UART {uart} is unknown; start it with: west"):
        target.start(target.build("zephyr"))


@pytest.mark.process
def test_a_build_without_a_command_for_qemu_is_refused(folder: Path) -> None:
    program(folder / "bin/ninja", "#!/bin/sh\nexit 1\n")
    target = ZephyrTarget(build_of(folder))
    with pytest.raises(TargetError, match="has no command for QEMU"):
        target.start(target.build("zephyr"))


def test_run_without_a_target_and_a_build_asks_for_one(tickertape: Command, tmp_path: Path) -> None:
    done = tickertape("run", "-o", "T.tape")
    assert done.returncode != 0
    assert done.stderr.startswith("tickertape: no target is named, and there is no build of Zephyr")
    assert list(tmp_path.iterdir()) == []
