"""A --prerunmodifier for Robot Framework: adds the keywords of renode-test to each suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from robot.api import SuiteVisitor

if TYPE_CHECKING:
    from robot.running import TestSuite


class with_renode_keywords(SuiteVisitor):  # type: ignore[misc] # noqa: N801 - the module's name
    """Imports the stub into every suite."""

    def start_suite(self, suite: TestSuite) -> None:
        """Add the import to a suite."""
        if suite.source is not None and suite.source.is_file():
            suite.resource.imports.library(str(Path(__file__).with_name("RenodeKeywords.py")))
