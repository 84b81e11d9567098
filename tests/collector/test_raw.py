"""The copy of a link's raw bytes beside the tape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import itm
from tests.support.rings import plain_events
from tests.support.target import target_with_events
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, StopReason, capture
from tickertape.errors import TapeWriteFailed
from tickertape.link import Damage, MemoryLink, open_link
from tickertape.link.swo import SwoLink
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.collector import CaptureResult


def sent() -> bytes:
    target = target_with_events()
    target.finish()
    return target.sent_bytes()


def pieces(data: bytes) -> list[bytes]:
    return [data[place : place + 100] for place in range(0, len(data), 100)]


def captured(link: object, tape: Path, raw: Path | None) -> CaptureResult:
    return capture(link, tape, CaptureOptions(raw=raw, handle_signals=False))  # type: ignore[arg-type] # a Link


def contents(path: Path) -> tuple[list[object], object]:
    with TapeReader(path) as reader:
        return list(plain_events(list(iter_events(reader)))), balance_of(reader)


def test_the_raw_bytes_give_the_same_tape_again(tmp_path: Path) -> None:
    raw, first, again = (tmp_path / name for name in ("raw", "1.tape", "2.tape"))
    hurt = [Damage("flip", 400, 3), Damage("drop", 900, 40)]
    result = captured(MemoryLink(pieces(sent()), damage=hurt), first, raw)
    assert result.reason is StopReason.END
    second = captured(open_link(str(raw)), again, None)
    assert contents(first) == contents(again)
    assert second.progress.balance == result.progress.balance
    assert second.progress.balance.damaged > 0
    assert second.progress.balance.holds


def test_of_a_stimulus_port_the_whole_pin_is_kept(tmp_path: Path) -> None:
    raw, first, again = (tmp_path / name for name in ("raw", "1.tape", "2.tape"))
    pin = itm.written(0, b"console") + itm.written(1, sent())
    captured(SwoLink(MemoryLink(pieces(pin)), 1, "swo"), first, raw)
    assert raw.read_bytes() == pin
    captured(open_link(f"swo:{raw}"), again, None)
    assert contents(first) == contents(again)


def test_a_full_disk_costs_the_raw_bytes_only(tmp_path: Path, tickertape_inside: Command) -> None:
    (tmp_path / "sent").write_bytes(sent())
    done = tickertape_inside("capture", "sent", "-o", "T.tape", "--raw", "/dev/full")
    assert done.returncode == TapeWriteFailed.exit_code
    assert "the raw bytes in /dev/full end after 0 (No space left on device)" in done.stderr
    info = tickertape_inside("info", "T.tape")
    assert "the raw bytes in /dev/full end after 0" in info.stdout
    captured(MemoryLink([sent()]), tmp_path / "whole.tape", None)
    assert contents(tmp_path / "T.tape") == contents(tmp_path / "whole.tape")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["-o", "T.tape", "--raw", "sent"], "sent is the file to be read"),
        (["-o", "T.tape", "--raw", "./T.tape"], "T.tape cannot be both files"),
        (["-o", "T.tape", "--raw", "missing/raw"], "cannot be written (No such file or directory)"),
    ],
)
def test_a_wrong_place_is_refused_before_anything_is_written(
    tmp_path: Path, tickertape_inside: Command, words: list[str], error: str
) -> None:
    (tmp_path / "sent").write_bytes(sent())
    done = tickertape_inside("capture", "sent", *words)
    assert done.returncode != 0
    assert error in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["sent"]
    assert (tmp_path / "sent").read_bytes() == sent()
