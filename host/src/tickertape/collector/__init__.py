"""Write the trace of a link to a tape.

`capture` does the whole work; `Collector` is for callers that already have a link and a writer.
"""

from tickertape.collector.capture import CaptureOptions, capture
from tickertape.collector.collector import CaptureResult, Collector, Progress, StopReason

__all__ = ["CaptureOptions", "CaptureResult", "Collector", "Progress", "StopReason", "capture"]
