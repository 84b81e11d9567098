"""Fixture: the C client of a broker as a program."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.broker.client import ROOT, SOURCES, WARNINGS
from tests.support.programs import compiled

DRIVER = Path(__file__).with_name("client_driver.c")


@pytest.fixture(scope="session", params=["address,undefined", "thread"])
def client(request: pytest.FixtureRequest) -> Path:
    command = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-g", "-O1", *WARNINGS, "-pthread"]
    command += [f"-fsanitize={request.param}", "-fno-sanitize-recover=all"]
    command += [f"-I{ROOT / 'host/posix'}", f"-I{ROOT / 'firmware/include'}"]
    return compiled([*command, DRIVER, *SOURCES])
