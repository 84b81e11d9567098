"""`view --live`: the page shows data, stops, losses, resets and the end of a target."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.support.command import COMMAND, Command, assert_complaint
from tests.support.patience import HANG_S
from tests.support.target import SimulatedTarget
from tests.support.viewing import viewing
from tickertape.analysis.balance import balance_of
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.process

HOSTILE = "<img src=x onerror=alert(1)>'\"&amp;</script><b>"
SWITCH, NAME = (9, 0), (4, 320)
RING = (0, 0)


class Peer:
    """A target at a socket; the test decides when it sends and which buffers are lost."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(HANG_S)
        self.link = f"socket://127.0.0.1:{self._listener.getsockname()[1]}"
        self.target = SimulatedTarget(buffers=1000, buffer_records=4, dictionary=DICTIONARY_HASH)
        self._sent = 0
        self._connection: socket.socket | None = None

    def accept(self) -> None:
        self._connection, _ = self._listener.accept()

    def record(self, count: int) -> None:
        for number in range(count):
            self.target.advance(1000)
            self.target.record(RING, *SWITCH, 5 * (number % 2), 5 * ((number + 1) % 2))

    def send(self, *, lost: int = -1) -> None:
        """Send all buffers of the target except number `lost`."""
        self.target.flush(RING)
        before = len(self.target.frames)
        while self.target.send_buffer(RING):
            pass
        if lost >= 0:
            del self.target.frames[before + lost]
        self.target.status(RING)
        self.deliver()

    def deliver(self) -> None:
        assert self._connection is not None
        frames = self.target.frames[self._sent :]
        self._sent = len(self.target.frames)
        self._connection.sendall(b"".join(frame.data for frame in frames))

    def close(self) -> None:
        for one in (self._connection, self._listener):
            if one is not None:
                one.close()


@pytest.fixture
def peer() -> Iterator[Peer]:
    found = Peer()
    yield found
    found.close()


def interrupted(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANG_S)
    return process.returncode, out, err


def law(tape: Path) -> dict[str, int]:
    with TapeReader(tape) as reader:
        assert reader.closed
        total = balance_of(reader).total
        assert total.holds
        return {name: getattr(total, name) for name in ("offered", "delivered", "damaged")}


def stays_and_follows(page: Page, peer: Peer) -> None:
    """Check that a page that left the end keeps its place, and that `l` returns to the end."""
    readout, end = page.locator("#readout"), page.locator("#live-follow")
    page.locator("#chart").focus()
    for key in ("+", "+", "ArrowLeft"):
        page.keyboard.press(key)
    expect(end).to_have_attribute("aria-pressed", "false")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    stays = readout.inner_text().partition(" · showing")[0]
    events = page.locator("#summary").inner_text()
    peer.record(40)
    peer.send()
    expect(page.locator("#summary")).not_to_have_text(events)
    expect(readout).to_contain_text(stays)
    page.keyboard.press("l")
    expect(end).to_have_attribute("aria-pressed", "true")
    expect(readout).not_to_contain_text(stays)


def test_a_target_from_silence_to_its_end(page: Page, peer: Peer, tmp_path: Path) -> None:
    live, summary = page.locator("#live-text"), page.locator("#summary")
    with viewing(tmp_path, "--live", peer.link) as (process, address):
        peer.accept()
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        expect(live).to_have_text(re.compile("Waiting for the target: no bytes have arrived from"))
        second = page.context.new_page()
        second.goto(address)
        peer.target.hello()
        name = bytes(4) + (5).to_bytes(4, "little") + HOSTILE.encode()
        peer.target.combine(RING, *NAME, name)
        peer.record(40)
        peer.send()
        task = page.locator("#labels li", has_text=HOSTILE)
        expect(task).to_be_visible()
        expect(second.locator("#labels li", has_text=HOSTILE)).to_be_visible()
        expect(live).not_to_have_class(re.compile("lost"))
        assert Axe().run(page).violations_count == 0
        # The page shows losses as they occur.
        peer.record(40)
        peer.send(lost=2)
        expect(live).to_contain_text(" 4 damaged")
        expect(live).to_have_class(re.compile("lost"))
        expect(summary).to_contain_text("4 records missing in 1 places")
        stays_and_follows(page, peer)
        offered = peer.target.rings[RING].offered
        peer.target.reset()
        peer.target.hello()
        peer.record(8)
        peer.send()
        expect(live).to_contain_text("The target was reset: boot 1.")
        peer.target.finish()
        peer.deliver()
        peer.close()
        expect(live).to_contain_text("The capture has ended: the link ended.")
        expect(page.locator("#status")).to_contain_text("The capture has ended")
        expect(second.locator("#live-text")).to_contain_text("The capture has ended")
        for one in (page, second):
            one.goto("about:blank")
        code, out, err = interrupted(process)
        (tape,) = tmp_path.glob("live-*.tape")
        assert (code, err) == (0, "")
        assert tape.name in out
    found = law(tape)
    assert found["damaged"] == 4
    assert found["offered"] == found["delivered"] + 4 == offered + peer.target.rings[RING].offered


def test_a_target_that_never_sends_is_given_up_by_ctrl_c(peer: Peer, tmp_path: Path) -> None:
    with viewing(tmp_path, "--live", peer.link, "-o", "T.tape") as (process, _):
        peer.accept()
        code, _, err = interrupted(process)
    assert code == 3
    assert err.startswith(f"tickertape: no bytes arrived from {peer.link}; check that")
    assert law(tmp_path / "T.tape")["offered"] == 0


def test_a_running_target_is_stopped_started_and_filtered(page: Page, tmp_path: Path) -> None:
    words = ("--target", "native", "--realtime", "--socket", "s", "--duration", "600", "-q")
    with subprocess.Popen([COMMAND, "serve", *words, "-o", "whole.tape"], cwd=tmp_path) as broker:
        try:
            wait = ("--wait", str(HANG_S))
            with viewing(tmp_path, "--live", "unix:s", "-o", "T.tape", *wait) as (process, address):
                page.goto(address)
                live = page.locator("#live-text")
                expect(live).to_contain_text(re.compile(r"[1-9]\d* records offered"))
                expect(page.locator("#labels li").nth(5)).to_be_visible()
                page.get_by_role("button", name="Stop", exact=True).click()
                status = page.locator("#status")
                expect(status).to_have_text("The target records nothing.")
                expect(live).to_contain_text(", 0 events/s")
                page.get_by_role("button", name="Classes").click()
                box = page.get_by_label("SCHED")
                expect(box).to_be_checked()
                box.click()
                expect(status).to_have_text("SCHED is not recorded from now on.")
                expect(box).not_to_be_checked()
                page.keyboard.press("Escape")
                page.get_by_role("button", name="Start", exact=True).click()
                expect(status).to_have_text("The target records.")
                expect(live).not_to_contain_text(", 0 events/s")
                # The capture continues without the page.
                page.goto("about:blank")
                code, _, err = interrupted(process)
                assert (code, err) == (0, "")
        finally:
            broker.terminate()
            broker.wait(HANG_S)
    assert law(tmp_path / "T.tape")["offered"] > 0


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ((), "view needs a tape or --live LINK"),
        (("T.tape", "--live", "file:x"), "view needs a tape or --live LINK"),
        (("T.tape", "-o", "U.tape"), "only --live writes a tape"),
        (("--live", "file:x", "--html", "x.html"), "a file shows a tape"),
        (("--live", "file:nothing"), "nothing"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    tickertape_inside: Command, words: tuple[str, ...], what: str
) -> None:
    done = tickertape_inside("view", "--no-open", *words)
    assert_complaint(done, done.returncode, what)
    assert done.returncode
