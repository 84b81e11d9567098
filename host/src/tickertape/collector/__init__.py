"""From a link to a tape.

`capture` does all of it; `Collector` is for callers that have a link and a writer already.
"""

from tickertape.collector.capture import CaptureOptions, capture
from tickertape.collector.collector import CaptureResult, Collector, Progress, StopReason

__all__ = ["CaptureOptions", "CaptureResult", "Collector", "Progress", "StopReason", "capture"]
