"""The USB link (CDC ACM): built for a board, and run in `native_posix` over USB/IP."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self

import pytest

from tests.support.zephyr_boards import (
    APPS,
    BUILD_SECONDS,
    RUN_SECONDS,
    SAMPLES,
    build,
    needs_zephyr,
    read,
)
from tickertape.symbols.elf import read_symbols
from tickertape.symbols.zephyr_build import find_build

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

OVERLAY = f"-DDTC_OVERLAY_FILE={SAMPLES / 'hello_tape/usb.overlay'}"
TURNS = 20  # of apps/contended
SECONDS_PER_SECOND = 20  # speed-up: the board polls USB/IP only ten times per simulated second
PORT = 3240  # Zephyr's driver has this port only, and listens on all addresses
PACKET_BYTES = 64
OUT, IN = 0, 1
PROGRAM = b"#include <sys/socket.h>\nint main(void) { return 0; }\n"
WITHOUT_ASKING = (
    "CONFIG_USB_CDC_ACM",
    "CONFIG_USB_DEVICE_INITIALIZE_AT_BOOT",
    "CONFIG_TICKERTAPE_UART_IS_USB",
)
BULK, ENDPOINT = 2, 5


class UsbIp:
    """USB host of one device over USB/IP; one request at a time."""

    def __init__(self) -> None:
        deadline = time.monotonic() + RUN_SECONDS
        while True:
            with suppress(ConnectionRefusedError):
                self._socket = socket.create_connection(("127.0.0.1", PORT), RUN_SECONDS)
                break
            assert time.monotonic() < deadline
            time.sleep(0.05)
        self._number = 0
        self._socket.sendall(struct.pack(">HHI32s", 273, 0x8003, 0, b"1-1"))  # OP_REQ_IMPORT
        self._receive(8 + 312)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def _receive(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            # The driver sends its reply in two parts, the second after the first is acknowledged.
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            more = self._socket.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def request(self, endpoint: int, direction: int, size: int, setup: bytes = bytes(8)) -> bytes:
        """Submit a transfer without data to send; return the data that it receives."""
        self._number += 1
        common = (1, self._number, 1, direction, endpoint)  # USBIP_CMD_SUBMIT
        self._socket.sendall(struct.pack(">10I", *common, 0, size, 0, 0, 0) + setup)
        words = struct.unpack(">10I8x", self._receive(48))
        return self._receive(words[6]) if direction == IN else b""

    def configure(self) -> int:
        """Configure the device; return the bulk endpoint that sends the UART's data."""
        self.request(0, OUT, 0, struct.pack("<BBHHH", 0, 9, 1, 0, 0))
        descriptors = self.request(0, IN, 255, struct.pack("<BBHHH", 0x80, 6, 0x200, 0, 255))
        endpoints, place = [], 0
        while place < len(descriptors):
            if descriptors[place + 1] == ENDPOINT and descriptors[place + 3] == BULK:
                endpoints.append(descriptors[place + 2])
            place += descriptors[place]
        (sends,) = (endpoint & 0x0F for endpoint in endpoints if endpoint & 0x80)
        return sends


def _no_native() -> str | None:
    command = ["gcc", "-m32", "-x", "c", "-", "-o", os.devnull]
    done = subprocess.run(command, input=PROGRAM, check=False, capture_output=True)
    if done.returncode != 0:
        return "gcc -m32 cannot link: install gcc-multilib"
    with socket.socket() as probe:
        return f"port {PORT} is in use" if probe.connect_ex(("127.0.0.1", PORT)) == 0 else None


needs_nordic = pytest.mark.skipif(
    "nordic" not in os.environ.get("ZEPHYR_MODULES", ""),
    reason="ZEPHYR_MODULES has no hal_nordic, which nrf52840dk_nrf52840 needs",
)
pytestmark = [needs_zephyr, pytest.mark.timeout(BUILD_SECONDS + 2 * RUN_SECONDS)]


@needs_nordic
def test_an_image_for_a_board_with_usb_is_built() -> None:
    folder = build(SAMPLES / "hello_tape", "nrf52840dk_nrf52840", OVERLAY, name="usb")
    build_of = find_build(folder)
    assert build_of is not None
    assert build_of.uart == "tape_usb"
    assert {build_of.options.get(option) for option in WITHOUT_ASKING} == {"y"}


@pytest.mark.skipif(_no_native() is not None, reason=str(_no_native()))
def test_a_trace_over_usb_is_whole(tickertape: Command, tmp_path: Path) -> None:
    # The driver of this board copies a transfer of any size into one packet; CDC ACM's ring buffer
    # therefore has a byte less than a packet. 630 bytes per second suffice for few threads' names.
    size = f"-DCONFIG_USB_CDC_ACM_RINGBUF_SIZE={PACKET_BYTES - 1}"
    options = ("-DCONFIG_SERIAL=y", "-DCONFIG_TICKERTAPE_THREADS=4", size)
    folder = build(APPS / "contended", "native_posix", OVERLAY, *options, name="usb")
    program = [str(folder / "zephyr/zephyr.exe"), f"--rt-ratio={SECONDS_PER_SECOND}"]
    taken, deadline = b"", time.monotonic() + RUN_SECONDS
    with subprocess.Popen(program, stdout=subprocess.DEVNULL) as process:
        try:
            with UsbIp() as host, suppress(EOFError, ConnectionResetError):
                endpoint = host.configure()
                while time.monotonic() < deadline:
                    taken += host.request(endpoint, IN, PACKET_BYTES)
            assert process.wait(RUN_SECONDS) == 0
        finally:
            process.kill()
    (tmp_path / "usb.bin").write_bytes(taken)
    assert tickertape("capture", "usb.bin", "-o", "T.tape").returncode == 0
    trace = read(tmp_path / "T.tape", read_symbols(folder / "zephyr/zephyr.elf"), whole=True)
    assert [event.words[0] for event in trace.events if event.name == "USER.USER_0"] == list(
        range(TURNS)
    )
