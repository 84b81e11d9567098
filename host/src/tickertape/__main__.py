"""`python -m tickertape`, and the entry point of the command `tickertape`.

Ctrl-C while the command is still being imported ends it with one line, as it does later.
"""

from __future__ import annotations

import sys

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def main() -> int:
    """Run the command line; return its exit code."""
    try:
        from tickertape.cli.main import main as run  # noqa: PLC0415 - importing it may be interrupted

        return run()
    except KeyboardInterrupt:
        sys.stderr.write("tickertape: interrupted; start again\n")
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
