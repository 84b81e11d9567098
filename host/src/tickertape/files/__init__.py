"""Create, replace and lock files: every output of every command.

`replacing` and `new_folder` write under a name of their own and rename the complete result;
`AppendFile` grows under its final name; `locked` keeps other writers of a file away. All of them
report each error of the disk, and none of them follows a link that another user has put there.
"""

from tickertape.files.append import AppendFile
from tickertape.files.failure import errors_about, write_failure
from tickertape.files.lock import locked, locked_if_there
from tickertape.files.output import Keep, keep_of, new_folder, replacing, write_text

__all__ = [
    "AppendFile",
    "Keep",
    "errors_about",
    "keep_of",
    "locked",
    "locked_if_there",
    "new_folder",
    "replacing",
    "write_failure",
    "write_text",
]
