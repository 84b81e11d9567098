"""Report phrases that CONTRIBUTING.md, "Language", replaces by the field's word.

The gate reads comments, docstrings and string literals of more than one word in Python and C, and
the whole text of documents, YAML, makefiles and configuration. It skips code between backticks,
fenced blocks and generated files.
"""

from __future__ import annotations

import io
import re
import tokenize
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# Files and folders that still contain refused phrases. The gate skips them and reports an entry
# without hits, so this list only gets shorter.
NOT_CLEAN: tuple[str, ...] = ()

# Files that quote the phrases.
_QUOTING = {"tools/check/prose.py", "tests/tools/check/test_prose.py", "CONTRIBUTING.md"}

# Pattern (any case; a space matches any white space) → the field's word.
PHRASES = {
    "nobody|somebody|everybody|anybody": "name the actor (no thread, a program), or: unknown",
    "whoever|whomever": "name the actor: the caller, each sender",
    "tells?|told|telling": "reports, returns, states; for differences: distinguishes",
    "says?|said|saying": "reports, states, contains, means",
    "stands?|stood|standing": "is, follows, lies",
    "behind": "after, below, in",
    "of (which|whom)": "a sentence of its own",
    r"what (several|two|three|both|all|many) \w+": "name the thing first",
    r"what \w+ (\w+ \w+ )?(have|has|had) in common": "shared by ...",
    "(nests?|knows?|goes|comes?|belongs?) not": "does not ..., never ...",
    "(is|are|was|were|be|been|being|gets?) asked": "is called, is read, is queried",
    "of (its|their) own accord|for ever": "unprompted; forever",
    "(makes?|made) of (it|them|that|this)": "builds, derives",
    "accus(e|es|ed|ing)": "reports a violation",
    "let (nothing|no)": "prevent, never",
    "(nothing|none) but": "only",
    "(is|are|was|were) no": "is not a, is not",
    "as it happens": "live",
    "in the place of": "in place of, instead of",
    "of (ours|theirs)": "our, their",
    "mend(s|ed|ing)?": "corrects, repairs",
}

# Allowed uses → the reason.
ALLOWED = {
    r"there\W+(is|are|was|were) no": "reports what does not exist",
    r"(is|are|was|were) no (longer|more|less|better|faster|slower|larger)": "compares",
    "stands? for": "defines an abbreviation or a placeholder",
    "stands? in for": "a test double",
    "(falls?|fell|falling|lags?|lagging) behind": "a reader that is too slow",
    "linux says: hello world": "the text of the original RTL-POSIX-Trace example",
}


def _words(patterns: Iterable[str]) -> re.Pattern[str]:
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    return re.compile(rf"\b(?:{joined})\b".replace(" ", r"\s+"), re.IGNORECASE)


_REFUSED = _words(PHRASES)
_ALLOWED = _words(ALLOWED)
_C_PARTS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:\\.|[^"\\\n])*")|'(?:\\.|[^'\\\n])*'""",
    re.DOTALL,
)
_C_INCLUDE = re.compile(r"#\s*include[^\n]*")
_MARKDOWN_CODE = re.compile(
    r"^ *```.*?^ *```|(?<=\]\()[^)\s]*(?=\))|^\[[^\]\n]*\]:[^\n]*", re.DOTALL | re.MULTILINE
)
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_CONSTANT = re.compile(r"\b[A-Z][A-Z_]+\b")
_ATTRIBUTE = re.compile(r"^ +\w+:(?= )", re.MULTILINE)
_YAML_KEY = re.compile(r"^\s*(?:- )?[\w-]+:(?= |$)", re.MULTILINE)
_IS_STRING = re.compile(r"\w*[\"']")
_FIELD = re.compile(r"\{[^{}\n]*\}")
_GENERATED = re.compile(r"\A.{0,300}generated (by|from).{0,120}make gen", re.DOTALL | re.IGNORECASE)
# Replaces code, so that no phrase matches across it.
_END = "\0"


def _spaces(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _blanked(text: str, patterns: Iterable[re.Pattern[str]]) -> str:
    """Replace matches by characters that belong to no phrase; line breaks stay."""
    for pattern in patterns:
        text = pattern.sub(lambda match: re.sub(r"[^\n]", _END, match[0]), text)
    return text


def _python_pieces(text: str) -> Iterator[tuple[int, int, str]]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in {tokenize.COMMENT, tokenize.STRING}:
            first = starts[token.start[0] - 1] + token.start[1]
            last = starts[token.end[0] - 1] + token.end[1]
            prose = text[first:last]
            if token.type == tokenize.COMMENT:
                prose = re.sub("#", " ", prose)
            elif prose[0] in "fF":
                prose = _blanked(prose, [_FIELD])
            yield first, last, prose


def _c_pieces(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _C_PARTS.finditer(_blanked(text, [_C_INCLUDE])):
        if match["comment"]:
            yield *match.span(), re.sub(r"^\s*\*|//|/\*|\*/", _spaces, match[0], flags=re.MULTILINE)
        elif match["string"]:
            yield *match.span(), match[0]


def _kept(text: str, pieces: Iterable[tuple[int, int, str]]) -> str:
    """Return the text with only the pieces left; a string of one word is an identifier."""
    parts, end = [], 0
    for first, last, prose in pieces:
        parts.append(re.sub(r"\S", _END, text[end:first]))
        word = _IS_STRING.match(prose) and not re.search(r"\s", prose)
        parts.append(_END * len(prose) if word else prose)
        end = last
    parts.append(re.sub(r"\S", _END, text[end:]))
    return "".join(parts)


def prose_of(name: str, text: str) -> str:
    """Return the text of a file with everything blanked except prose; positions do not change."""
    if name.endswith(".py"):
        text = _blanked(_kept(text, _python_pieces(text)), [_ATTRIBUTE])
    elif name.endswith((".c", ".h", ".cpp", ".hpp")):
        text = _kept(text, _c_pieces(text))
    elif name.endswith(".md"):
        text = _blanked(text, [_MARKDOWN_CODE])
    elif name.endswith((".yaml", ".yml")):
        text = _blanked(text, [_YAML_KEY])
    else:
        text = re.sub(r"(?m)^\s*#", _spaces, text)
    return _blanked(text, [_INLINE_CODE, _CONSTANT])


def check_text(name: str, text: str) -> list[str]:
    """Check one file; return one line per refused phrase."""
    if name in _QUOTING or _GENERATED.match(text):
        return []
    prose = _blanked(prose_of(name, text), [_ALLOWED])
    return [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: "
        f'"{" ".join(match[0].split())}": {_instead(match[0])}'
        for match in _REFUSED.finditer(prose)
    ]


def _instead(found: str) -> str:
    return next(words for pattern, words in PHRASES.items() if _words([pattern]).fullmatch(found))


def check(root: Path, files: Iterable[Path], not_clean: Iterable[str] = NOT_CLEAN) -> list[str]:
    """Check files, given relative to `root`; return one line per refused phrase.

    Entries of `not_clean` are skipped; an entry without hits is reported.
    """
    hits: dict[str, int] = dict.fromkeys(not_clean, 0)
    problems = []
    for file in files:
        found = check_text(str(file), (root / file).read_text(encoding="utf-8"))
        folder = next((folder for folder in hits if file.is_relative_to(folder)), None)
        if folder is None:
            problems.extend(found)
        else:
            hits[folder] += len(found)
    problems.extend(
        f"{folder} is clean: remove it from NOT_CLEAN in tools/check/prose.py"
        for folder, count in hits.items()
        if not count
    )
    return problems
