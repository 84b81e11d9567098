"""labgrid driver and strategy that record the boards of a lab; docs/lab.md is the manual.

    imports: [tickertape.lab]
    targets:
      main:
        resources: {RemotePlace: {name: motor-board}}
        drivers: {TickertapeDriver: {}}

labgrid needs its own build of pyserial, so install it in a separate environment.
"""

from __future__ import annotations

import serial

from tickertape.errors import UsageError

_INSTALL = "make an environment for it: python3 -m venv lab; lab/bin/pip install 'tickertape[lab]'"
_REPAIR = "type: pip install --force-reinstall --no-deps pyserial-labgrid"
_BUILD_PARTS = 3  # labgrid's versions of pyserial have a fourth number

try:
    import labgrid  # noqa: F401 - checks only whether it is installed
except ImportError as error:
    raise UsageError("labgrid is not installed here", _INSTALL) from error
if serial.__version__.count(".") < _BUILD_PARTS:
    raise UsageError(
        f"pyserial {serial.__version__} is installed over labgrid's build of it", _REPAIR
    )

from tickertape.lab.driver import TickertapeDriver  # noqa: E402 - after the checks
from tickertape.lab.strategy import Status, TickertapeStrategy  # noqa: E402 - likewise

__all__ = ["Status", "TickertapeDriver", "TickertapeStrategy"]
