"""The C client of a broker, as a program."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("client_driver.c")
SOURCES = sorted((ROOT / "host/posix").glob("broker_*.c"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wmissing-prototypes", "-Werror"]


@pytest.fixture(scope="session", params=["address,undefined", "thread"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("client") / "client"
    command = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-g", "-O1", *WARNINGS, "-pthread"]
    command += [f"-fsanitize={request.param}", "-fno-sanitize-recover=all"]
    command += [f"-I{ROOT / 'host/posix'}", f"-I{ROOT / 'firmware/include'}"]
    subprocess.run([*command, DRIVER, *SOURCES, "-o", program], check=True)
    return program
