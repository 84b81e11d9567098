"""Tells a target what to record: commands over the link, each carried out once and answered.

`ControlClient` sends them, over a link of its own or over the socket of a `ControlServer`, which
shares a link that somebody else reads.
"""

from tickertape.control.client import ClassSelection, ControlClient, StreamStatus
from tickertape.control.server import ControlServer

__all__ = ["ClassSelection", "ControlClient", "ControlServer", "StreamStatus"]
