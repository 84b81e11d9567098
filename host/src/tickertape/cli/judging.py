"""`--check` of commands that record a tape: judge it when it is whole.

What judges is slow to load: only those who use it wait for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.output import complain
from tickertape.cli.reading import reading

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tickertape.answers.check import Verdict
    from tickertape.answers.spec import Requirement


def add_check(parser: argparse.ArgumentParser) -> None:
    """Add --check."""
    parser.add_argument(
        "--check",
        type=Path,
        metavar="FILE",
        help="judge the tape by this specification at the end; the exit code is that of check",
    )


def requirements_of(arguments: argparse.Namespace) -> Sequence[Requirement] | None:
    """Read the specification before anything is recorded; None without one.

    Raises:
        SpecError: it cannot be used.
    """
    if arguments.check is None:
        return None
    from tickertape.answers.spec import load  # noqa: PLC0415 - see above

    return load(arguments.check)


def judged(
    code: int,
    tapes: Sequence[Path],
    requirements: Sequence[Requirement] | None,
    *,
    quiet: bool,
) -> int:
    """Judge tapes that were just recorded, each for itself, and print the verdicts.

    Args:
        code: exit code of the recording.
        tapes: that were written.
        requirements: of the specification; None for no judgement.
        quiet: print no verdicts.

    Returns:
        `code` unless it is 0; then that of all verdicts. 10 when there is no tape.

    Raises:
        TapeError: a tape cannot be read.
    """
    if requirements is None:
        return code
    from tickertape.answers.check import check  # noqa: PLC0415 - see above
    from tickertape.answers.spec import SpecError  # noqa: PLC0415 - see above
    from tickertape.cli.verdicts import (  # noqa: PLC0415 - see above
        UNDECIDED,
        show_verdicts,
        verdict_code,
    )

    verdicts: list[Verdict] = []
    for tape in tapes:
        try:
            with reading(tape) as reader:
                found = check(reader, requirements)
        except SpecError as error:
            complain(error)
            return code or error.exit_code
        verdicts += found
        if not quiet:
            if len(tapes) > 1:
                print(f"{tape}:")
            show_verdicts(found)
    return code or (verdict_code(verdicts) if verdicts else UNDECIDED)
