"""Names of the last release work for one more release, and can be switched off."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import FIRMWARE

if TYPE_CHECKING:
    from pathlib import Path

RENAMED = dict(
    re.findall(
        r"^#define (tt_\w+) +(tt_\w+)$",
        (FIRMWARE / "include/tickertape/renamed.h").read_text(),
        re.MULTILINE,
    )
)


def compiled(folder: Path, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Compile a file that uses one name as a type or a function."""
    use = f"{name} *value;" if name.endswith("_t") else f"void *value = (void *)&{name};"
    source = folder / "use.c"
    source.write_text(f'#include "tickertape/read.h"\n#include "tickertape/stream.h"\n{use}\n')
    command = ["gcc", "-std=gnu11", "-Wall", "-Werror", "-DTT_CONFIG_READERS=1"]
    command += [*options, f"-I{FIRMWARE / 'include'}", "-c", str(source), "-o", "/dev/null"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_name_means_the_new_one(old: str, tmp_path: Path) -> None:
    assert compiled(tmp_path, RENAMED[old], "-DTT_NO_OLD_NAMES").returncode == 0
    done = compiled(tmp_path, old)
    assert (done.returncode, done.stderr) == (0, "")
    assert compiled(tmp_path, old, "-DTT_NO_OLD_NAMES").returncode != 0
