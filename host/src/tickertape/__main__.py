"""`python -m tickertape`, and the entry point of the command `tickertape`.

Ctrl-C during the imports ends the command with one line, as it does later.
"""

from __future__ import annotations

import sys

from tickertape.interrupt import INTERRUPTED, begin_loading


def main() -> int:
    """Run the command line; return its exit code."""
    try:
        begin_loading()
        from tickertape.cli.main import main as run  # noqa: PLC0415 - importing it may be interrupted

        return run()
    except KeyboardInterrupt:
        sys.stderr.write("tickertape: interrupted; start again\n")
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
