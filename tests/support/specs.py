"""Make specifications of requirements for simulated kernels."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def spec_for(seed: int, names: Sequence[str]) -> str:
    """Return requirements whose limits are near the times of the simulated tasks."""
    chance = random.Random(seed)
    lines = [
        "requirements:",
        "- no_deadlock: true",
        f"- load: 0\n  max: {chance.randint(20, 99)} %",
    ]
    for task in names:
        for kind, low, high in (
            *(("response", 40, 900), ("latency", 1, 300), ("execution", 40, 400)),
            *(("blocking", 1, 150), ("jitter", 1, 100)),
        ):
            lines.append(f"- {kind}: {task}\n  max: {40 * chance.randint(low, high)} ns")
        low, high = chance.randint(100, 500), chance.randint(300, 1200)
        lines.append(f"- period: {task}\n  min: {40 * low} ns\n  max: {40 * high} ns")
        lines.append(f"- inversion: {task}\n  max: {40 * chance.randint(1, 100)} ns")
        lines.append(f"- deadline: {task}")
    within, most = 40 * chance.randint(1, 300), chance.randint(1, 4)
    lines.append(f"- order: [ACTIVATION, COMPLETION]\n  within: {within} ns")
    lines.append("- never: COMPLETION\n  without: CONTEXT_SWITCH")
    lines.append(f"- rate: ACTIVATION\n  at_most: {most}\n  window: {within} ns")
    lines.append("- exclusive: [[MUTEX_LOCK_GRANTED, MUTEX_UNLOCK], [INT.ENTRY, INT.EXIT]]")
    return "\n".join(lines)
