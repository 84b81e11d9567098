"""Optional packages: each is imported when a command first needs it."""

from __future__ import annotations

import shlex
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tickertape.errors import UsageError


def load(module: str, *, extra: str, what: str) -> Any:  # noqa: ANN401 - a package without types
    """Import a module of an optional package.

    Args:
        module: full name of the module.
        extra: the extra in pyproject.toml that installs the package.
        what: the feature that needs the module, as a plural noun for the error message.

    Raises:
        UsageError: the package is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise _missing(module, extra, what) from error


def folder_of(package: str, *, extra: str, what: str) -> Path:
    """Find the folder of an optional package without importing it.

    Args:
        package: name of the package.
        extra: the extra in pyproject.toml that installs the package.
        what: the feature that needs the package, as a plural noun for the error message.

    Raises:
        UsageError: the package is not installed.
    """
    try:
        found = find_spec(package)
    except ValueError:  # the module in sys.modules has no spec
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
