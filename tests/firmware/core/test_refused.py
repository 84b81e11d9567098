"""Numbers of streams that do not exist, names with zero bytes, buffers given back twice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import FIRMWARE, HERE, PLAIN_PORT, run_driver

if TYPE_CHECKING:
    from pathlib import Path

DRIVER = "refused_driver.c"
_TAKES_A_STREAM = re.compile(r"^TT_API [^;]*?(tt_\w+)\(uint32_t stream\b", re.MULTILINE)


@pytest.mark.parametrize("defines", [("READERS=1",), ("FINALIZE=1", "STREAMS=3")])
def test_wrong_arguments_are_refused(tmp_path: Path, defines: tuple[str, ...]) -> None:
    names = ("STREAMS=2", *defines, "STREAM_NAMES=1", "DEFINITIONS=4")
    options = {name.split("=")[0]: f"TT_CONFIG_{name}" for name in names}
    run_driver(tmp_path, DRIVER, *options.values(), sources=[PLAIN_PORT])


def test_every_function_that_takes_a_stream_is_asked() -> None:
    headers = (FIRMWARE / "include/tickertape").glob("*.h")
    functions = {name for path in headers for name in _TAKES_A_STREAM.findall(path.read_text())}
    assert len(functions) > 30
    driver = (HERE / DRIVER).read_text()
    assert not [name for name in functions if f"{name}(wrong" not in driver]
