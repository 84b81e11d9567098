from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tickertape.answers.spec import SpecError, load
from tickertape.answers.yaml_file import read
from tickertape.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

BAD = {
    "date": ("a: 1\nb: 2001-99-99\n", "x.yaml:2:4: this is a timestamp"),
    "digits": (f"a: {'9' * 4000}\n", "x.yaml:1:4: this number cannot be used"),
    "long": (f"a: {'9' * 6000}\n", "x.yaml:1:4: more than 4096 characters"),
    "large": (f"a: 1{'0' * 400}\n", "x.yaml:1:4: this number cannot be used"),
    "infinite": ("a: 1.0e+999\n", "x.yaml:1:4: this number cannot be used"),
    "zero byte": ("a: b\0c\n", "x.yaml:1:5: this is not YAML"),
    "nesting": (f"a: {'[' * 1000}\n", "x.yaml:1:35: more than 32 levels"),
    "alias": ("a: &x [1]\nb: *x\n", "x.yaml:2:4: an alias"),
    "tag": ("a: !!python/name:os.system x\n", "x.yaml:1:4: this is a "),
    "twice": ("a: 1\na: 2\n", "x.yaml:2:1: the key a is here twice"),
    "no mapping": ("- 1\n", "x.yaml:1:1: there is no mapping"),
    "octal": ("a: 08_9:99999999999999999999999999999999\n", ""),
}


@pytest.mark.parametrize("what", BAD)
def test_an_error_has_its_place(tmp_path: Path, what: str) -> None:
    text, message = BAD[what]
    path = tmp_path / "x.yaml"
    path.write_text(text, encoding="utf-8")
    if message:
        with pytest.raises(UsageError) as failed:
            read(path)
        assert message in str(failed.value)
    with pytest.raises(SpecError, match=r"x\.yaml:\d+:\d+: "):
        load(path)


def test_bytes_that_are_no_text_have_their_place(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"a: 1\nb: \xff\n")
    with pytest.raises(UsageError, match=r"x\.yaml:2:4: this is not text in UTF-8"):
        read(path)


def test_values_have_their_types(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\nb: [x, 2.5, true, null, '2001-01-01']\nc: {d: 0x10}\n", encoding="utf-8")
    assert read(path) == {"a": 1, "b": ["x", 2.5, True, None, "2001-01-01"], "c": {"d": 16}}
