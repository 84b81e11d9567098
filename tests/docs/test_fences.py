"""Every code block of README.md and the pages runs here, runs in a named test, or is marked.

A page is one session: its blocks run in order in one folder, which has a demo tape under the names
that pages use. Commands print the output on the page; programs end without an exception; C code
compiles.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import yaml

from tests.support.patience import HANG_S
from tests.support.programs import ROOT
from tests.support.shown_output import missing
from tickertape.cli.main import main
from tools.doc_commands import Fence, commands_of, fences_of, not_run, typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.process
HERE = Path(__file__).parent
PAGES: Final = {
    str(page.relative_to(ROOT)): page.read_text(encoding="utf-8")
    for page in (ROOT / "README.md", ROOT / "renode/README.md", *(ROOT / "docs").glob("*.md"))
}
ELSEWHERE: Final = {
    "README.md": "tests/cli/test_readme.py tests/packages/test_newcomers.py",
    "docs/fleet.md": "tests/docs/test_guides.py",
    "docs/losses.md": "tests/docs/test_guides.py",
    "docs/parquet.md": "tests/formats/arrow/test_parquet.py",
    "docs/python.md": "tests/api/test_public.py",
    "docs/tutorial.md": "tests/docs/test_tutorial.py",
}
"""Pages with their own tests."""
RUN: Final = {"console", "sh", "python", "c", "cpp", "robotframework"}
PARTS: Final = {"", "yaml", "cmake", "dts", "ini", "sql"}
"""Languages of text and of parts of files, which cannot be run alone."""
CHECKOUT: Final = {
    "docs/broker.md",
    "docs/freertos.md",
    "docs/library.md",
    "docs/small.md",
    "docs/xmtrace.md",
}
"""Pages whose commands run in a checkout."""
TAPES: Final = ("demo.tape", "run.tape", "T.tape")
NO: Final = ("check", "diff", "findings")
"""Commands whose exit code 1 is an answer."""
FILES: Final = {"docs/check.md": "timing.yaml"}
"""File name of the first `yaml` block of a page, for the commands of the page."""
_LIBRARY: Final = f"flock {ROOT}/build/posix.lock make -s -C {ROOT} posix"  # one page at a time
SETUP: Final = {
    "docs/pytest.md": "tickertape spec init demo.tape -o timing.yaml",
    "docs/posix.md": _LIBRARY,
    "docs/broker.md": _LIBRARY,
    "docs/library.md": _LIBRARY.replace("posix", "library"),
}
"""Command to run before a page."""
DATA: Final = {"docs/itm.md": {"data": b"\x00" * 5 + b"\x80\x0e\x0f\x10"}}
"""Names that the programs of a page use without defining them."""
HEADERS: Final = (
    "firmware/include",
    "firmware/links",
    "firmware/ports/freertos",
    "firmware/facades/shark",
    "firmware/facades/posix",
    "host/library",
    "tests/freertos/stubs",
)
SERVING: Final = "grep -q serving printed"
BEFORE: Final = {
    "docs/cpp.md": "#include <stdint.h>\nextern uint32_t number, value;\n",
    "docs/freertos.md": '#include "FreeRTOS.h"\nextern const tt_freertos_link_t my_link;\n',
    "docs/posix.md": "#include <stddef.h>\n#include <trace.h>\n"
    "extern struct posix_trace_event_info info;\nextern char data[9];\nextern size_t bytes;\n"
    "extern int unavailable;\n",
    "docs/probe.md": '#include "itm_port.h"\n',
    "docs/zephyr.md": "#include <stdint.h>\nextern uint32_t value, other;\n",
}
"""Declarations of the application before the C blocks of a page."""
_COMMAND: Final = re.compile(r"^\$ |^(?:\.venv/bin/)?tickertape |^make ", re.MULTILINE)


def test_every_block_runs_or_is_a_part() -> None:
    languages = {(page, one.language) for page, text in PAGES.items() for one in fences_of(text)}
    assert {one for one in languages if one[1] not in RUN | PARTS} == set()


def test_no_command_hides_in_text() -> None:
    """Text blocks contain no command, except the one in README.md that another test runs."""
    hidden = [
        (page, one.text.splitlines()[0])
        for page, text in PAGES.items()
        for one in fences_of(text)
        if one.language in PARTS and _COMMAND.search(one.text)
    ]
    assert [page for page, _ in hidden] == ["README.md", "docs/parquet.md"], hidden


@pytest.mark.parametrize("page", ELSEWHERE)
def test_the_test_of_a_page_reads_it(page: str) -> None:
    for test in ELSEWHERE[page].split():
        assert Path(page).name in (ROOT / test).read_text(encoding="utf-8")


def test_what_is_not_run_needs_what_is_not_here() -> None:
    needs = {need for text in PAGES.values() for need, _ in not_run(text)}
    assert needs == NEEDED


NEEDED: Final = {
    "Renode",
    "a board",
    "a board with a wrong rate",
    "a browser",
    "a lab",
    "a repository with a bad commit",
    "a recording of a trace pin",
    "a terminal",
    "a trace of Zephyr",
    "a tree of FreeRTOS",
    "a tree of Zephyr",
    "an image of a target's memory",
    "an installed wheel",
    "the requirements of the device",
    "two boards",
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tape = tmp_path_factory.mktemp("demo") / "demo.tape"
    assert main(["demo", "-q", "--target", "qemu", "-o", str(tape)]) == 0
    return tape


@pytest.fixture
def session(tmp_path: Path, demo: Path) -> Iterator[Callable[[str, str], None]]:
    """Yield a function that runs the blocks of a page; end commands that still run."""
    opened: list[Session] = []

    def run(page: str, text: str) -> None:
        for name in TAPES:
            (tmp_path / name).write_bytes(demo.read_bytes())
        opened.append(Session(page, tmp_path))
        opened[0].run(text)

    yield run
    for one in opened:
        one.close()


WITH_BLOCKS: Final = [
    page
    for page in sorted(PAGES.keys() - ELSEWHERE)
    if any(one.language in RUN and not one.needs for one in fences_of(PAGES[page]))
]


@pytest.mark.parametrize("page", WITH_BLOCKS)
def test_the_blocks_of_a_page_run(page: str, session: Callable[[str, str], None]) -> None:
    session(page, PAGES[page])


class Session:
    """A folder, a shell and an interpreter for the blocks of one page."""

    def __init__(self, page: str, folder: Path) -> None:
        self._page, self._folder = page, folder
        self._names: dict[str, object] = dict(DATA.get(page, {}))
        self._files = [FILES[page]] if page in FILES else []
        self._groups: list[int] = []
        without = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        path = [str(Path(sys.executable).parent), os.environ["PATH"]]
        own = {"XDG_RUNTIME_DIR": str(folder)}  # folder of the broker's socket
        self._environment = {**without, "PATH": os.pathsep.join(path), **own}
        if page in CHECKOUT:
            for one in ("Makefile", "build", "examples", "firmware", "host", "protocol", "tools"):
                (folder / one).symlink_to(ROOT / one)
        if page in SETUP:
            code, printed = self._shell(SETUP[page])
            assert code == 0, printed

    def run(self, text: str) -> None:
        for fence in fences_of(text):
            if fence.needs:
                continue
            if fence.language == "yaml" and self._files:
                assert yaml.safe_load(fence.text)
                (self._folder / self._files.pop()).write_text(fence.text, encoding="utf-8")
            if fence.language in RUN:
                getattr(self, f"_{fence.language}")(fence)

    def close(self) -> None:
        for one in self._groups:
            with suppress(ProcessLookupError):
                os.killpg(one, signal.SIGKILL)

    def _console(self, fence: Fence) -> None:
        for one in typed(fence):
            if not one.needs:
                code, printed = self._shell(one.line)
                answers = {0, 1} if len(one.words) > 1 and one.words[1] in NO else {0}
                assert code in answers or "--check" in one.words, (one.line, printed)
                assert missing(one.output, printed) == [], (one.line, printed)

    def _sh(self, fence: Fence) -> None:
        lines = ["set -e -o pipefail"]
        for one in typed(fence):
            if not one.needs:
                lines.append(one.line.replace("/tmp/board.sock", f"{self._folder}/board.sock"))  # noqa: S108
                if one.line.endswith("&"):  # wait before the next command, as a user does
                    ready = "[ -S board.sock ]" if "board.sock" in one.line else SERVING
                    lines.append(f"until {ready}; do sleep 0.05; done")
        code, printed = self._shell("\n".join(lines))
        assert code == 0, printed

    def _shell(self, script: str) -> tuple[int, str]:
        """Run a script in its own process group; return its exit code and output."""
        output = self._folder / "printed"
        with output.open("w") as file:
            shell = subprocess.Popen(
                ["/bin/bash", "-c", script],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._groups.append(shell.pid)
            code = shell.wait(HANG_S)
        return code, output.read_text(encoding="utf-8")

    def _robotframework(self, fence: Fence) -> None:
        (self._folder / "page.robot").write_text(fence.text, encoding="utf-8")
        code, printed = self._shell("python -m robot page.robot")
        assert code == 0, printed

    def _python(self, fence: Fence) -> None:
        """Run a program; run a file of tests with pytest."""
        text = fence.text.replace("/tmp/board.sock", f"{self._folder}/board.sock")  # noqa: S108
        if "def test_" in text:
            (self._folder / "test_page.py").write_text(text, encoding="utf-8")
            code, printed = self._shell("python -m pytest -p no:cacheprovider test_page.py")
            assert code == 0, printed
            return
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self._folder)
            exec(compile(text, self._page, "exec"), self._names)  # noqa: S102 - the page is ours

    def _c(self, fence: Fence) -> None:
        self._compile(fence.text, "gcc", "gnu11")

    def _cpp(self, fence: Fence) -> None:
        self._compile(fence.text, "g++", "c++17")

    def _compile(self, text: str, compiler: str, standard: str) -> None:
        """Compile a block; a block without a function becomes the body of a function."""
        if not re.search(r"^\{$", text, re.MULTILINE):
            lines = text.splitlines(keepends=True)
            directives = "".join(line for line in lines if line.startswith("#"))
            body = "".join(line for line in lines if not line.startswith("#"))
            text = f"{directives}void page(void);\nvoid page(void)\n{{\n{body}}}\n"
        source = self._folder / "page.c"
        source.write_text(BEFORE.get(self._page, "") + text, encoding="utf-8")
        words = [compiler, f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
        words += ["-x", "c++" if compiler == "g++" else "c"]
        words += [f"-I{ROOT / folder}" for folder in HEADERS]
        done = subprocess.run(
            [*words, str(source)], capture_output=True, text=True, check=False, timeout=HANG_S
        )
        assert done.returncode == 0, done.stderr


def test_a_mark_is_for_a_command_or_for_a_block() -> None:
    page = (
        "```sh\nx --a \\\n  b   # why; not run here: needs e f\ny  # z\n```\n"
        "  ```c\n  /* not run here: needs g */\n  int h;\n  ```\n"
    )
    assert [(one.line, one.needs) for one in typed(next(fences_of(page)))] == [
        ("x --a \\\n  b", "e f"),
        ("y  # z", ""),
    ]
    assert list(not_run(page)) == [("e f", "x --a \\\n  b"), ("g", "c: int h;")]
    assert list(commands_of(page)) == []
