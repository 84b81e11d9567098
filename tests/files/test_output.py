from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from tickertape.errors import TapeBusy, TapeWriteFailed
from tickertape.files import AppendFile, Keep, locked, new_folder, replacing, write_text

if TYPE_CHECKING:
    from pathlib import Path


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "t.tape"
    path.write_bytes(b"before")
    return path


def test_a_replaced_file_keeps_its_mode(path: Path) -> None:
    path.chmod(0o600)
    write_text(path, "after")
    assert path.read_text(encoding="utf-8") == "after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert names(path.parent) == ["t.tape"]


def test_an_appended_file_keeps_the_mode_of_the_older_one(path: Path) -> None:
    path.chmod(0o640)
    AppendFile(path, b"after").close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.with_name("t.tape.old").read_bytes() == b"before"


def test_a_new_file_has_the_mode_of_the_process(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "one", "text")
        AppendFile(tmp_path / "two", b"text").close()
    finally:
        os.umask(before)
    assert {stat.S_IMODE((tmp_path / one).stat().st_mode) for one in ("one", "two")} == {0o640}


def test_an_error_in_the_block_leaves_everything_as_it_was(path: Path) -> None:
    def fail() -> None:
        with replacing(path, Keep.OLD) as place:
            place.write_bytes(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert path.read_bytes() == b"before"
    assert names(path.parent) == ["t.tape"]


def test_two_outputs_at_once_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    with replacing(path) as one, replacing(path) as other:
        assert one != other
        one.write_bytes(b"one")
        other.write_bytes(b"other")
    assert path.read_bytes() == b"one"
    assert names(tmp_path) == ["out.json"]


def test_links_at_temporary_names_are_not_followed(path: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    for name in (".t.tape.part", ".t.tape.new", ".tickertape-", "t.tape.old"):
        (tmp_path / name).symlink_to(victim)
    write_text(path, "after")
    AppendFile(path, b"again").close()
    assert victim.read_bytes() == b"mine"
    assert path.read_bytes() == b"again"
    assert (tmp_path / "t.tape.old").read_bytes() == b"after"


def test_the_original_is_kept_once(path: Path) -> None:
    with replacing(path, Keep.ORIGINAL) as place:
        place.write_bytes(b"first")
    with (
        pytest.raises(TapeWriteFailed, match=r"t\.tape\.orig, which exists already"),
        replacing(path, Keep.ORIGINAL) as place,
    ):
        place.write_bytes(b"second")
    assert path.read_bytes() == b"first"
    assert path.with_name("t.tape.orig").read_bytes() == b"before"
    assert names(path.parent) == ["t.tape", "t.tape.orig"]


def test_an_unchanged_original_stays_the_file_that_it_is(path: Path) -> None:
    before = path.stat()
    with replacing(path, Keep.ORIGINAL) as place:
        place.write_bytes(b"before")
    assert os.path.samestat(before, path.stat())
    assert names(path.parent) == ["t.tape"]


def test_an_appended_file_is_renamed_on_request(path: Path) -> None:
    file = AppendFile(path, b"after", waits=True)
    assert path.read_bytes() == b"before"
    file.take_name()
    assert path.read_bytes() == b"after"
    file.append(b" all")
    file.close()
    assert path.read_bytes() == b"after all"
    assert names(path.parent) == ["t.tape", "t.tape.old"]


def test_an_appended_file_that_takes_no_name_is_removed(path: Path) -> None:
    AppendFile(path, b"after", waits=True).close()
    assert path.read_bytes() == b"before"
    assert names(path.parent) == ["t.tape"]


def test_an_appended_file_has_its_name_at_once_without_an_older_one(tmp_path: Path) -> None:
    file = AppendFile(tmp_path / "new", b"head", waits=True)
    assert names(tmp_path) == ["new"]
    file.close()


def test_the_file_that_was_kept_before_goes(path: Path) -> None:
    for text in (b"one", b"two"):
        AppendFile(path, text).close()
    assert path.with_name("t.tape.old").read_bytes() == b"one"


@pytest.mark.parametrize("waits", [False, True])
def test_a_second_writer_is_refused(tmp_path: Path, *, waits: bool) -> None:
    path = tmp_path / "t.tape"
    writer = AppendFile(path, b"head")
    here = rf"t\.tape is being written by this process \({os.getpid()}\)"
    with pytest.raises(TapeBusy, match=here):
        AppendFile(path, b"other", waits=waits)
    with pytest.raises(TapeBusy, match=here), replacing(path, Keep.ORIGINAL):
        pass
    with pytest.raises(TapeBusy, match=here), locked(path):
        pass
    writer.append(b" and more")
    writer.close()
    assert path.read_bytes() == b"head and more"
    assert names(tmp_path) == ["t.tape"]
    AppendFile(path, b"other").close()


def test_a_writer_without_its_name_yet_keeps_others_away(path: Path) -> None:
    writer = AppendFile(path, b"head", waits=True)
    with pytest.raises(TapeBusy):
        AppendFile(path, b"other", waits=True)
    writer.take_name()
    writer.close()
    assert path.read_bytes() == b"head"


def test_a_folder_gets_its_name_complete(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    with new_folder(path) as place:
        (place / "part").write_bytes(b"1")
        assert not path.exists()
    assert names(path) == ["part"]
    with pytest.raises(TapeWriteFailed, match="already exists"), new_folder(path):
        pass
    assert names(tmp_path) == ["trace"]
