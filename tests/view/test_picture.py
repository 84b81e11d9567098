"""The page draws each interval in the colour and at the place that docs/view.md states."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import pytest
from PIL import Image

from tests.support.viewing import opened
from tickertape.model.transitions import State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

    from tests.support.served import Served

pytestmark = pytest.mark.process

_COLOURS: Final = {
    State.RUNNING: "running",
    State.READY: "ready",
    State.ACTIVE: "ready",
    State.WAITING: "waiting",
    State.SUSPENDED: "suspended",
    State.FREE: "idle",
    State.USED: "held",
    State.FULL: "held",
}
_ROW: Final = 24
_LOW: Final = 19  # pixels below the top of a row: inside every bar, below all letters
_WIDE: Final = 6.0
_TOLERANCE: Final = 12  # per colour component, of 255
_TAPE: Final = Path(__file__).parents[1] / "data/zephyr/philosophers.tape"
_AT: Final = 400_000_000
_MS: Final = 1_000_000


class Sample(NamedTuple):
    """A pixel in the middle of an interval, and the state that it has to show."""

    x: int
    y: int
    state: int
    is_striped: bool


def samples(served: Served, page: Page, begin: int, end: int) -> Iterator[Sample]:
    """Yield a sample of each interval of at least `_WIDE` pixels in all visible rows."""
    about = served.ask("about")
    locks = {int(number) for number, name in about["causes"].items() if "MUTEX" in name}
    chart = page.locator("#chart").bounding_box()
    assert chart is not None
    shown = page.locator("#labels li").evaluate_all(
        "lines => lines.map(line => [Number(line.dataset.row), line.getBoundingClientRect().top])"
    )
    tops = {
        row: top for row, top in shown if chart["y"] <= top < chart["y"] + chart["height"] - _ROW
    }
    rows = {one["row"]: one for one in about["rows"]}
    words = f"begin={begin}&end={end}&pixels=1000&rows={','.join(map(str, tops))}"
    for one in served.ask(f"tiles?{words}")["rows"]:
        if rows[one["row"]]["kind"] not in {"task", "lock", "cpu"} or "slices" not in one:
            continue
        found = one["slices"]
        for since, until, state, cause in zip(
            found["begin"], found["end"], found["state"], found["cause"], strict=True
        ):
            left, right = (
                chart["x"] + chart["width"] * (min(max(time, begin), end) - begin) / (end - begin)
                for time in (since, until)
            )
            if right - left < _WIDE:
                continue
            is_striped = state == State.OVERFULL or (state == State.WAITING and cause in locks)
            middle = round((left + right) / 2)
            yield Sample(middle, round(tops[one["row"]]) + _LOW, state, is_striped)


def is_like(pixel: Any, colour: tuple[int, ...]) -> bool:  # noqa: ANN401 - Pillow's
    return all(abs(one - other) <= _TOLERANCE for one, other in zip(pixel, colour, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("span", [40 * _MS, 400 * _MS])
def test_intervals_have_their_colours_and_places(
    page: Page,
    serve: Callable[[Path], Served],
    scheme: Literal["light", "dark"],
    span: int,
) -> None:
    """Check every interval of at least six pixels in the light and the dark scheme."""
    served = serve(_TAPE)
    page.emulate_media(color_scheme=scheme)
    begin, end = _AT, _AT + span
    opened(page, f"{served.server.address}#from={begin}&to={end}&at={begin}")
    page.keyboard.press("a")
    page.keyboard.press("a")  # arrows off
    page.wait_for_selector("body[data-drawn]")
    page.wait_for_load_state("networkidle")
    style = "name => getComputedStyle(document.documentElement).getPropertyValue('--' + name)"
    names = {*_COLOURS.values(), "blocked", "paper", "selected"}
    colours = {}
    for name in names:
        text = str(page.evaluate(style, name)).strip().lstrip("#")
        colours[name] = tuple(bytes.fromhex(text))
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    seen: Counter[int] = Counter()
    for one in samples(served, page, begin, end):
        near = [picture.getpixel((one.x + dx, one.y + dy)) for dx in range(-4, 5) for dy in (-4, 0)]
        pixel = picture.getpixel((one.x, one.y))
        if one.is_striped:
            assert any(is_like(found, colours["blocked"]) for found in near), one
        elif one.state in _COLOURS:
            assert is_like(pixel, colours[_COLOURS[State(one.state)]]), (one, pixel)
        elif one.state == State.TERMINATED:
            assert is_like(pixel, colours["paper"]) or is_like(pixel, colours["selected"]), one
        seen[one.state] += 1
    assert {State.RUNNING, State.WAITING, State.FULL, State.FREE} <= seen.keys()
    assert seen.total() > 20
