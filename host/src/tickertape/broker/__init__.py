"""Lets several programs of this machine share a target: record, watch, control, read, emit.

The broker speaks the protocol of the link to whoever connects (`control`), so what works on a link
works on its socket: `capture`, `print --follow`, `control`, the C library of POSIX Trace.
"""

from tickertape.broker.place import Place, default_path
from tickertape.broker.sharing import sharing

__all__ = ["Place", "default_path", "sharing"]
