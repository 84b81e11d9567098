"""From a link to a tape."""

from tickertape.collector.capture import CaptureOptions, capture
from tickertape.collector.collector import CaptureResult, Collector, Progress, StopReason

__all__ = ["CaptureOptions", "CaptureResult", "Collector", "Progress", "StopReason", "capture"]
