"""The build refuses options of the recorder that are out of range or exclude each other."""

from __future__ import annotations

import pytest

from tests.firmware.core.options import CORE, FORBIDDEN, compile_for_arm


@pytest.mark.parametrize("reason", FORBIDDEN)
def test_what_excludes_each_other_is_refused_with_a_reason(reason: str) -> None:
    """At least one source refuses, so that no image is linked."""
    done = [compile_for_arm(FORBIDDEN[reason], source) for source in CORE]
    assert any(
        d.returncode != 0 and f'static assertion failed: "{reason.strip()}' in d.stderr
        for d in done
    )
