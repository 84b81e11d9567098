"""Control a target: send commands over its link. The target executes and answers each once.

`ControlClient` uses a link of its own, or the socket of a `tickertape.broker.ControlServer`.
"""

from tickertape.control.client import ClassSelection, ControlClient, StreamStatus

__all__ = ["ClassSelection", "ControlClient", "StreamStatus"]
