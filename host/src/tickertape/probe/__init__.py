"""A debug probe in place of the drain: reads full buffers of a running target's rings."""

from tickertape.probe.link import ProbeLink
from tickertape.probe.opener import is_probe, open_probe

__all__ = ["ProbeLink", "is_probe", "open_probe"]
