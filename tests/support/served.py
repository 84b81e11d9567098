"""Send HTTP requests to a server of `tickertape view`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

from tests.support.patience import HANG_S

if TYPE_CHECKING:
    from tickertape.view.listening import Listener
    from tickertape.view.server import Server


def ask(server: Listener, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Send a GET request for exactly this path; return status, headers and body."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=HANG_S)
    try:
        connection.putrequest("GET", path, skip_host="host" in headers)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        names = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, names, answer.read()
    finally:
        connection.close()


@dataclass(frozen=True)
class Served:
    """A running server."""

    server: Server

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Send a GET request to the server; see `ask`."""
        return ask(self.server, path, **headers)

    @property
    def root(self) -> str:
        """Path of the page."""
        return "/" + self.server.address.split("/", 3)[3]

    def ask(self, question: str) -> Any:  # noqa: ANN401 - JSON
        """Send a request to the API, which must succeed; return the decoded JSON."""
        status, _, body = self.get(f"{self.root}api/{question}")
        assert status == 200, body
        return json.loads(body)
