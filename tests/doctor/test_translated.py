"""The link doctor names translated and removed values, and never calls damage healthy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.support.stored_runs import RUNS, WHOLE, without_blocks
from tickertape.doctor import Kind, Sure, examine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.command import Command

LONG = RUNS["first_tape"]
FAULTS: dict[str, tuple[Callable[[bytes], bytes], Kind, str]] = {
    "XON and XOFF": (lambda data: data.translate(None, b"\x11\x13"), Kind.REMOVED, "XON/XOFF"),
    "XON": (lambda data: data.translate(None, b"\x11"), Kind.REMOVED, "0x11"),
    "three values": (lambda data: data.translate(None, b"\x11\x13\r"), Kind.REMOVED, "XON/XOFF"),
    "IGNCR": (lambda data: data.translate(None, b"\r"), Kind.REMOVED, "IGNCR"),
    "ICRNL": (lambda data: data.replace(b"\r", b"\n"), Kind.TRANSLATED, "ICRNL"),
    "INLCR": (lambda data: data.replace(b"\n", b"\r"), Kind.TRANSLATED, "INLCR"),
    "ONLCR": (lambda data: data.replace(b"\n", b"\r\n"), Kind.TRANSLATED, "ONLCR"),
    "CR": (lambda data: data.replace(b"\r", b"\r\n"), Kind.TRANSLATED, "carriage return"),
    "PARMRK": (lambda data: data.replace(b"\xff", b"\xff\xff"), Kind.TRANSLATED, "PARMRK"),
    "UTF-8": (lambda data: data.decode("latin-1").encode(), Kind.TEXT_CODED, "UTF-8"),
    "UTF-16": (lambda data: data.decode("latin-1").encode("utf-16"), Kind.TEXT_CODED, "UTF-16"),
    "replaced": (lambda data: data.decode(errors="replace").encode(), Kind.TEXT_CODED, "lost"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", RUNS)
def test_a_translation_is_named(fault: str, name: str) -> None:
    make, kind, word = FAULTS[fault]
    data = RUNS[name]
    damaged = make(data)
    if damaged == data:
        pytest.fail("the stream does not contain the value")
    report = examine(damaged)
    found = report.diagnoses[0]
    assert found.kind is kind, report.diagnoses
    assert word in found.what
    assert "flow control or" not in found.mend
    assert not report.healthy
    if fault in {"UTF-8", "UTF-16", "ONLCR", "CR", "PARMRK"}:
        assert found.sure is Sure.PROVEN


def noise(count: int) -> bytes:
    return np.random.default_rng(7).bytes(count)


@pytest.mark.parametrize("good", [3000, 20_000])
def test_damage_is_never_healthy(tickertape_inside: Command, tmp_path: Path, good: int) -> None:
    data = LONG[:good] + noise(20_000)
    report = examine(data)
    assert not report.healthy
    (tmp_path / "link.raw").write_bytes(data)
    done = tickertape_inside("doctor", "link.raw")
    assert done.returncode in {1, 10}
    assert "healthy" not in done.stdout


def test_damage_without_a_cause_has_its_place_and_share() -> None:
    report = examine(LONG[:20_000] + noise(20_000))
    (found,) = report.diagnoses
    assert found.kind is Kind.DAMAGED
    assert "are damaged, from byte" in found.what
    assert "% of the bytes" in found.what


def test_missing_frames_are_not_healthy() -> None:
    frames = [piece + b"\0" for piece in WHOLE.split(b"\0")[:-1]]
    report = examine(b"".join(frames[:10] + frames[14:]))
    assert not report.healthy
    assert "4 frames are missing" in report.diagnoses[0].what


def test_blocks_that_are_left_out_are_no_translation() -> None:
    assert examine(without_blocks(LONG)).diagnoses[0].kind is Kind.DROPS
