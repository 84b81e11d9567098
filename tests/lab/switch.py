"""labgrid driver for the switch of a test board; runs in labgrid's environment."""

import os
import socket

import attr
from labgrid.driver import Driver
from labgrid.factory import target_factory
from labgrid.protocol import BootstrapProtocol, PowerProtocol, ResetProtocol


@target_factory.reg_driver
@attr.s(eq=False)
class BoardSwitch(Driver, BootstrapProtocol, PowerProtocol, ResetProtocol):  # type: ignore[misc]  # labgrid carries no types
    """Flashes, powers and resets the board whose switch listens at a port of this machine."""

    port: int = attr.ib()

    def tell(self, words: str) -> None:
        with socket.create_connection(("127.0.0.1", int(self.port))) as board:
            board.sendall(f"{words}\n".encode())
            assert board.makefile().readline() == "done\n", words

    def load(self, filename: str) -> None:
        self.tell(f"load {os.fspath(filename)}")

    def on(self) -> None:
        self.tell("on")

    def off(self) -> None:
        self.tell("off")

    def cycle(self) -> None:
        self.tell("reset")

    def reset(self) -> None:
        self.tell("reset")
