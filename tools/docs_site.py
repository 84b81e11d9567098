"""Hook of mkdocs (`make docs`): adds pages of commands and options, rewrites links out of docs/."""

from __future__ import annotations

import argparse
import logging
import re
from typing import TYPE_CHECKING, Final

from mkdocs.structure.files import File

from tickertape.cli.main import COMMANDS, parser_of
from tools.doc_commands import not_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

COMMANDS_PAGE: Final = "commands.md"
OPTIONS_PAGE: Final = "options.md"
_LEAVING: Final = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+)([^)#\s]*)(?:#[^)]*)?\)")
_CODE: Final = re.compile(r"`[^`\n]+`")
_log = logging.getLogger("mkdocs.hooks.tickertape")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of all commands and of all options, generated from the parser."""
    files.append(File.generated(config, COMMANDS_PAGE, content=commands_page()))
    files.append(File.generated(config, OPTIONS_PAGE, content=options_page()))
    return files


def on_page_markdown(
    markdown: str,
    page: Page,
    config: MkDocsConfig,  # noqa: ARG001 - mkdocs passes it by name
    files: Files,  # noqa: ARG001 - as above
) -> str:
    """Log commands that no test runs; replace links to files outside the site by their names."""
    for needs, what in not_run(markdown):
        one_line = " ".join(what.replace("\\\n", " ").split())
        _log.info("%s: not run here: needs %s: %s", page.file.src_uri, needs, one_line)
    return without_leaving(_bars(markdown), depth=page.file.src_uri.count("/"))


def _bars(markdown: str) -> str:
    r"""Replace `\|` by `|` in code: GitHub needs `\|` in a table cell, but mkdocs shows it."""
    return _CODE.sub(lambda found: found[0].replace("\\|", "|"), markdown)


def without_leaving(markdown: str, *, depth: int) -> str:
    """Replace links to files outside the site by the names of the files.

    Args:
        markdown: a page.
        depth: number of folders of the site that contain it.
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


def options_page() -> str:
    """Return a page with a section for each long option, in Markdown.

    The search prefers headings, so it finds an option by its name before other texts with the word.
    """
    found: dict[str, list[str]] = {}
    for words, parser in _commands(parser_of(COMMANDS), "tickertape"):
        for action in parser._actions:  # noqa: SLF001 - no public list
            for name in action.option_strings:
                if name.startswith("--") and (row := _meaning(action)):
                    found.setdefault(name, []).append(f"| `{words}` | {row} |")
    lines = ["---", "search: {boost: 10}", "---"]
    lines += ["# All options by name", "", "[commands.md](commands.md) lists them by command."]
    for name in sorted(found.keys() - {"--help"}):
        lines += ["", f"## {name}", "", "| command | meaning |", "|---|---|", *found[name]]
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
    """Return a table row for an argument; None if the help does not show it."""
    if action.help in {None, argparse.SUPPRESS} or action.nargs == argparse.PARSER:
        return None
    takes = action.metavar or "|".join(map(str, action.choices or ())) or action.dest.upper()
    takes = takes if isinstance(takes, str) else " ".join(takes)
    names = ", ".join(action.option_strings)
    shown = " ".join(filter(None, [names, "" if names and action.nargs == 0 else takes]))
    return f"| {_cell(f'`{shown}`')} | {_meaning(action)} |"


def _meaning(action: argparse.Action) -> str | None:
    """Return the help of an argument as a table cell; None if the help does not show it."""
    if action.help in {None, argparse.SUPPRESS}:
        return None
    return _cell(str(action.help) % {"default": action.default})


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
