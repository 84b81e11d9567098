"""Hook of mkdocs (`make docs`): all commands on a page, links out of docs/, commands not run."""

from __future__ import annotations

import argparse
import logging
import re
from typing import TYPE_CHECKING, Final

from mkdocs.structure.files import File

from tickertape.cli.main import COMMANDS, parser_of
from tools.doc_commands import commands_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

COMMANDS_PAGE: Final = "commands.md"
_LEAVING: Final = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+)([^)#\s]*)(?:#[^)]*)?\)")
_log = logging.getLogger("mkdocs.hooks.tickertape")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page of all commands, which is made from the parser."""
    files.append(File.generated(config, COMMANDS_PAGE, content=commands_page()))
    return files


def on_page_markdown(
    markdown: str,
    page: Page,
    config: MkDocsConfig,  # noqa: ARG001 - mkdocs passes it by name
    files: Files,  # noqa: ARG001 - as above
) -> str:
    """List the commands that no test runs, and name files that the site does not contain."""
    for one in commands_of(markdown):
        if one.needs:
            command = " ".join(one.words)
            _log.info("%s: not run here: needs %s: %s", page.file.src_uri, one.needs, command)
    return without_leaving(markdown, depth=page.file.src_uri.count("/"))


def without_leaving(markdown: str, *, depth: int) -> str:
    """Replace links out of the site by the names of the files.

    Args:
        markdown: a page.
        depth: how many folders of the site contain it.
    """

    def named(found: re.Match[str]) -> str:
        text, up, path = found.groups()
        return f"{text} (`{path}`)" if up.count("..") > depth else found[0]

    return _LEAVING.sub(named, markdown)


def commands_page() -> str:
    """Return a page with all commands and options, in Markdown."""
    lines = ["# All commands and options", "", "[cli.md](cli.md) explains how they work together."]
    for words, parser in _commands(parser_of(COMMANDS), "tickertape"):
        lines += ["", f"## {words}", "", parser.description or ""]
        rows = [row for action in parser._actions if (row := _row(action))]  # noqa: SLF001 - no public list
        if rows:
            lines += ["", "| argument | meaning |", "|---|---|", *rows]
    return "\n".join(lines)


def _commands(
    parser: argparse.ArgumentParser, words: str
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield words, parser
    for action in parser._actions:  # noqa: SLF001 - argparse offers no public list
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            for name, one in action.choices.items():
                yield from _commands(one, f"{words} {name}")


def _row(action: argparse.Action) -> str | None:
    """Return a row of a table for an argument; None for one that the help does not show."""
    if action.help in {None, argparse.SUPPRESS} or action.nargs == argparse.PARSER:
        return None
    takes = action.metavar or "|".join(map(str, action.choices or ())) or action.dest.upper()
    takes = takes if isinstance(takes, str) else " ".join(takes)
    names = ", ".join(action.option_strings)
    shown = " ".join(filter(None, [names, "" if names and action.nargs == 0 else takes]))
    text = str(action.help) % {"default": action.default}
    return f"| {_cell(f'`{shown}`')} | {_cell(text)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
