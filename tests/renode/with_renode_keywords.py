"""Robot Framework's --prerunmodifier: gives each suite the keywords that renode-test would."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from robot.api import SuiteVisitor

if TYPE_CHECKING:
    from robot.running import TestSuite


class with_renode_keywords(SuiteVisitor):  # type: ignore[misc] # noqa: N801 - the module's name
    """Imports the stub into every suite."""

    def start_suite(self, suite: TestSuite) -> None:
        """Add the import."""
        if suite.source is not None and suite.source.is_file():
            suite.resource.imports.library(str(Path(__file__).with_name("RenodeKeywords.py")))
