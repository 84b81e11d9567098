"""Timelines of tracks and slices for Perfetto and Chrome: writer."""

from __future__ import annotations

from typing import Final

from tickertape.formats.registry import STREAM, Conversion

_HEADLINE: Final = "{slices} slices on {tracks} tracks"
_NOTES: Final = {
    "flows": "{flows} messages as flows",
    "lost": "{lost} records were lost, marked where they went",
}

EXPORTS: Final = {
    "chrome": Conversion(
        "timeline.chrome:export_chrome",
        "trace events in JSON, for chrome://tracing and other viewers",
        _HEADLINE,
        notes=_NOTES,
        options=(STREAM,),
    ),
    "perfetto": Conversion(
        "timeline.perfetto:export_perfetto",
        "trace for Perfetto (ui.perfetto.dev): tracks, states, flows, counters",
        _HEADLINE,
        notes=_NOTES,
        options=(STREAM,),
    ),
}
