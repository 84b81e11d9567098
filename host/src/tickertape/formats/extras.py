"""Packages that only some commands need: they are loaded when they are used."""

from __future__ import annotations

import shlex
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
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
        raise _missing(module, extra, what) from error


def folder_of(package: str, *, extra: str, what: str) -> Path:
    """Find the folder of an optional package, without running it.

    Args:
        package: its name.
        extra: the extra in pyproject.toml that brings it.
        what: what needs it, for people, in the plural.

    Raises:
        UsageError: it is not installed.
    """
    try:
        found = find_spec(package)
    except ValueError:  # what is in sys.modules has no spec
        found = None
    if found is None or found.origin is None:
        raise _missing(package, extra, what)
    return Path(found.origin).parent


def _missing(module: str, extra: str, what: str) -> UsageError:
    python = shlex.quote(sys.executable)
    return UsageError(
        f"{what} need {module.partition('.')[0]}, which is not installed",
        f"type: {python} -m pip install 'tickertape[{extra}]'",
    )
