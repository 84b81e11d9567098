"""`tickertape btf check`: check a file against the Best Trace Format."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.cli.output import ProgressLine, complain
from tickertape.errors import TapeError
from tickertape.formats.btf.check import check_btf
from tickertape.formats.btf.findings import LISTED
from tickertape.formats.btf.tables import Profile
from tickertape.report.numbers import count, counted

if TYPE_CHECKING:
    import argparse

    from tickertape.formats.btf.check import CheckReport

_UNUSABLE: Final = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser(
        "check",
        help="check a file against the format",
        description="Check a file against the format: exit code 0 valid, 1 there are "
        "findings, 2 it cannot be used.",
    )
    check.add_argument("file", type=Path, metavar="FILE", help="the trace, plain or .gz")
    check.add_argument(
        "--profile",
        choices=["auto", *(profile.value for profile in Profile)],
        default="auto",
        help="version of the rules (default: auto, the version of the file)",
    )
    check.add_argument(
        "--strict", action="store_true", help="report dialects and recommendations as findings"
    )
    check.add_argument("--json", action="store_true", help="one JSON object, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Check the file and print the findings."""
    profile = None if arguments.profile == "auto" else Profile(arguments.profile)
    started = time.monotonic()

    def said(events: int) -> str:
        seconds = time.monotonic() - started
        return f"{count(events)} events, {count(round(events / seconds) if seconds else 0)}/s"

    try:
        with ProgressLine(quiet=arguments.json) as line:
            report = check_btf(
                arguments.file,
                profile=profile,
                strict=arguments.strict,
                on_progress=lambda events: line.say(said(events)),
            )
    except TapeError as error:
        complain(error)
        return _UNUSABLE
    print(json.dumps(_json(report), indent=2) if arguments.json else _text(report, arguments.file))
    return 1 if report.findings.total else 0


def _text(report: CheckReport, path: Path) -> str:
    findings = report.findings
    lines = [
        f"{path}:{one.line}: {one.severity.value}: {one.text} [{one.rule}]"
        for one in findings.by_line()
    ]
    if findings.total > LISTED:
        lines.append(f"and {count(findings.total - LISTED)} more")
        lines += [f"  {rule}: {count(number)}" for rule, number in findings.counts.most_common()]
    said = [f"{counted(report.events, 'event')}, rules of {report.profile.value}"]
    said.append(counted(findings.total, "finding") if findings.total else "no finding")
    if report.blind:
        said.append(f"unchecked after {count(report.blind)} losses or resets")
    if findings.warnings:
        rules = ", ".join(sorted(findings.warnings))
        said.append(f"{counted(findings.warnings.total(), 'warning')} ({rules}), see --strict")
    return "\n".join([*lines, f"{path}: {'; '.join(said)}"])


def _json(report: CheckReport) -> dict[str, object]:
    findings = report.findings
    return {
        "version": report.version,
        "profile": report.profile.value,
        "events": report.events,
        "blind": report.blind,
        "total": findings.total,
        "counts": dict(findings.counts),
        "warnings": dict(findings.warnings),
        "findings": [
            {
                "line": one.line,
                "rule": one.rule,
                "severity": one.severity.value,
                "text": one.text,
            }
            for one in findings.by_line()
        ],
    }
