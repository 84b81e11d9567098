"""Drain the rings of a running target through a debug probe, in place of the target's drain."""

from tickertape.probe.link import ProbeLink
from tickertape.probe.opener import is_probe, open_probe

__all__ = ["ProbeLink", "is_probe", "open_probe"]
