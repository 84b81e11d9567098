"""Traces over a stimulus port: the recorder on a model of the ITM, and the host's decoder."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.core_driver import FIRMWARE, PLAIN_PORT, build_driver
from tests.support.examples import examples
from tests.support.link_reader import LinkReader
from tests.support.patience import HANG_S
from tickertape.decode.itm import Instrumentation, ItmDecoder
from tickertape.decode.stimulus import StimulusPort

if TYPE_CHECKING:
    from pathlib import Path

FRAMES, TEXT = 5, 0
TRIES = 50
Steps = list[tuple[str, int]]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("e"), st.integers(1, 400)),
        st.tuples(st.just("d"), st.integers(1, 40)),
        st.tuples(st.just("p"), st.integers(0, TRIES + 10)),
        st.tuples(st.just("o"), st.integers(0, 1)),
    ),
    max_size=30,
)
END: Steps = [("p", 1), ("o", 1), ("d", 2000), ("x", 0), ("d", 2000)]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("itm_link")
    links = [FIRMWARE / "links" / name for name in ("byte_ring.c", "ring_link.c")]
    return build_driver(folder, "itm_link_driver.c", sources=[PLAIN_PORT, *links])


def run(program: Path, folder: Path, steps: Steps, policy: int = 1) -> tuple[bytes, int, int]:
    """Return the pin's bytes, the number of offered records, and of polls of a port not ready."""
    done = subprocess.run(
        [program, folder / "pin", str(policy)],
        input="".join(f"{letter} {number}\n" for letter, number in steps),
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    offered, refused = map(int, done.stdout.split())
    return (folder / "pin").read_bytes(), offered, refused


@pytest.mark.parametrize("policy", [0, 1])
@given(steps=STEPS)
@settings(max_examples=examples(20), deadline=None)
def test_every_record_is_delivered_or_counted(
    program: Path, tmp_path_factory: pytest.TempPathFactory, policy: int, steps: Steps
) -> None:
    pin, offered, _ = run(program, tmp_path_factory.mktemp("pin"), [*steps, *END], policy)
    port = StimulusPort(FRAMES)
    reader = LinkReader()
    reader.read(port.receive(pin))
    port.finish()
    balance = reader.balance()
    assert (port.skipped, port.overflows) == (0, 0)
    assert reader.final
    assert balance["damaged"] == 0
    assert balance["offered"] == offered == sum(count for letter, count in steps if letter == "e")
    assert offered == balance["delivered"] + balance["dropped"] + balance["overwritten"]
    assert all(record.data[0] == record.ordinal for record in reader.records)


def test_a_port_that_is_never_ready_costs_records_and_the_receipts_count_them(
    program: Path, tmp_path: Path
) -> None:
    stuck: Steps = [("e", 100), ("d", 50), ("p", 0), ("e", 5000), ("d", 100)]
    pin, offered, refused = run(program, tmp_path, [*stuck, *END])
    reader = LinkReader()
    reader.read(StimulusPort(FRAMES).receive(pin))
    balance = reader.balance()
    assert refused > 0
    assert balance["dropped"] > 1000
    assert balance["offered"] == offered == 5100
    assert offered == balance["delivered"] + balance["dropped"]


def test_a_port_that_is_off_is_not_waited_for(program: Path, tmp_path: Path) -> None:
    pin, _, refused = run(program, tmp_path, [("o", 0), ("e", 5000), ("d", 100), ("u", 7)])
    assert (pin, refused) == (b"", 0)


def test_other_ports_are_the_applications(program: Path, tmp_path: Path) -> None:
    text: Steps = [("u", 0x21), ("u", 0x4321), ("u", 0x87654321)]
    between: Steps = [("e", 300), ("d", 3)]
    pin, offered, _ = run(program, tmp_path, [*text, *between, *text, *between, *END])
    decoder = ItmDecoder()
    decoder.receive(pin)
    packets = list(decoder.packets())
    mine = [one for one in packets if isinstance(one, Instrumentation) and one.port == TEXT]
    once = [
        Instrumentation(TEXT, 0x21, 1),
        Instrumentation(TEXT, 0x4321, 2),
        Instrumentation(TEXT, 0x87654321, 4),
    ]
    assert mine == once + once
    assert {one.size for one in packets if isinstance(one, Instrumentation)} == {1, 2, 4}
    reader = LinkReader()
    reader.read(StimulusPort(FRAMES).receive(pin))
    balance = reader.balance()
    assert balance["offered"] == offered == 600
    assert offered == balance["delivered"] + balance["dropped"]
