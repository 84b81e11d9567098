"""Access the memory of a running target through pyOCD and a debug probe (extra `board`)."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, Final

from tickertape.errors import LinkError, LinkMissing, UsageError

_WORD_BYTES: Final = 4
_BITS: Final = 8


class PyocdMemory:
    """Memory through pyOCD. Implements `link.target_memory.Memory`. The target is not halted."""

    def __init__(self, probe: str | None, name: str) -> None:
        """Attach to the target of a probe, without a reset.

        Args:
            probe: unique id of the probe, or a part of the id; None: the only connected probe.
            name: name of the link, for messages.

        Raises:
            UsageError: pyOCD is not installed.
            LinkMissing: there is no such probe, or several match.
            LinkError: the probe does not reach its target.
        """
        self._name = name
        self._session = open_session(probe, name)
        exceptions = import_module("pyocd.core.exceptions")
        self._transfer_error: type[Exception] = exceptions.TransferError
        self._error: type[Exception] = exceptions.Error
        self._at_end = False

    @property
    def at_end(self) -> bool:
        """True after `close`, or once the probe is gone."""
        return self._at_end

    def access(self) -> AbstractContextManager[object]:
        """Return an empty context: the target keeps running; see `Memory`."""
        return nullcontext()

    def find(self) -> int | None:
        """Return None: this memory has no link; see `Memory`."""
        return None

    def read(self, place: int, count: int) -> bytes:
        """Read memory; empty if it cannot be read at present, e.g. in deep sleep."""
        try:
            return bytes(self._session.target.read_memory_block8(place, count))
        except self._transfer_error:
            return b""
        except self._error as error:
            self._at_end = True
            raise LinkError(f"{self._name}: {error}", "plug the probe in again") from error

    def write(self, place: int, data: bytes) -> None:
        """Write memory, each aligned word in one access.

        Raises:
            LinkError: the memory cannot be written.
        """
        width = _WORD_BYTES if place % _WORD_BYTES == 0 and len(data) % _WORD_BYTES == 0 else 1
        try:
            for begin in range(0, len(data), width):
                value = int.from_bytes(data[begin : begin + width], "little")
                self._session.target.write_memory(place + begin, value, width * _BITS)
            self._session.target.flush()
        except self._error as error:
            raise LinkError(
                f"{self._name}: the memory at {place:#x} cannot be written ({error})",
                "check that the target runs and is not asleep",
            ) from error

    def close(self) -> None:
        """Detach from the target, which keeps running. May be called twice."""
        if not self._at_end:
            self._at_end = True
            self._session.close()


def open_session(probe: str | None, name: str) -> Any:  # noqa: ANN401 - pyOCD has no types
    """Attach to the target of a probe, without a reset, and return pyOCD's session.

    Raises:
        UsageError: pyOCD is not installed.
        LinkMissing: there is no such probe, or several match.
        LinkError: the probe does not reach its target.
    """
    try:
        exceptions: Any = import_module("pyocd.core.exceptions")
        helper: Any = import_module("pyocd.core.helpers").ConnectHelper
    except ImportError as error:
        raise UsageError(
            f"{name} needs pyOCD", "install it: pip install 'tickertape[board]'"
        ) from error
    found = helper.get_all_connected_probes(
        blocking=False, unique_id=probe, print_wait_message=False
    )
    if len(found) != 1:
        raise LinkMissing(
            f"pyOCD finds {f'{len(found)} debug probes' if found else 'no debug probe'}"
            + (f" with the id {probe}" if probe else ""),
            "name one, as in pyocd@ID (pyocd list)" if found else "plug it in",
        )
    session: Any = helper.session_with_chosen_probe(
        unique_id=found[0].unique_id, blocking=False, connect_mode="attach"
    )
    try:
        session.open()
    except exceptions.Error as error:
        session.close()
        raise LinkError(f"{name}: {error}", "check power and cable of the target") from error
    return session
