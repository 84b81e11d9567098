"""Share one target among several programs of this machine: record, watch, control, read, emit.

The broker's socket carries the protocol of the link. Everything that works on a link works on the
socket: `capture`, `print --follow`, `control`, the C library of POSIX Trace.
"""

from tickertape.broker.place import Place, default_path
from tickertape.broker.server import ControlServer
from tickertape.broker.sharing import sharing

__all__ = ["ControlServer", "Place", "default_path", "sharing"]
