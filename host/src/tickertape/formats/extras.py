"""Packages that only some commands need: they are loaded when they are used."""

from __future__ import annotations

import shlex
import sys
from importlib import import_module
from typing import Any

from tickertape.errors import UsageError


def load(module: str, *, extra: str, what: str) -> Any:  # noqa: ANN401 - a package without types
    """Load a module of an optional package.

    Args:
        module: its full name.
        extra: the extra in pyproject.toml that brings it.
        what: what needs it, for people, in the plural.

    Raises:
        UsageError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        python = shlex.quote(sys.executable)
        raise UsageError(
            f"{what} need {module.partition('.')[0]}, which is not installed",
            f"type: {python} -m pip install 'tickertape[{extra}]'",
        ) from error
