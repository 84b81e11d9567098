"""The gate for layers of firmware/core accepts the firmware and reports each crossing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.check import c_layers
from tools.check.process import tracked_files

ROOT = Path(__file__).parents[3]
CORE = {
    "shared.h": "static inline int tt_peek(void)\n{\n    return 0;\n}\n",
    "ring.h": '#include "shared.h"\nextern int tt_rings[2];\nvoid tt_ring_flush(int ring);\n',
    "ring.c": (
        '#include "ring.h"\nint tt_rings[2] = {1, 2};\n\nvoid tt_ring_flush(int ring)\n{\n}\n\n'
        "static void local(void)\n{\n    tt_ring_flush(tt_rings[0]);\n}\n"
    ),
    "record.c": '#include "ring.h"\nvoid tt_record(void)\n{\n    tt_ring_flush(0);\n}\n',
    "drain.c": "static\nint step(void)\n{\n    return 0;\n}\nbool tt_drain_send(void)\n{\n}\n",
    "start.c": "int tt_stop(int stream)\n{\n    tt_emit_tracer_stop(stream);\n}\n",
    "recorder.c": "bool tt_drain_step(void)\n{\n    return tt_drain_send() || tt_stop(0);\n}\n",
}


def check(root: Path, file: str = "", text: str = "") -> list[str]:
    """Write a small core below `root`, with one file replaced or added; return the findings."""
    sources = CORE | ({file: text} if file else {})
    (root / c_layers.CORE).mkdir(parents=True)
    for name, content in sources.items():
        (root / c_layers.CORE / name).write_text(content)
    return c_layers.check(root, [c_layers.CORE / name for name in sources])


def test_the_project_keeps_its_layers() -> None:
    files = tracked_files(ROOT, "firmware/**/*.c", "firmware/**/*.h")
    assert c_layers.check(ROOT, files) == []


def test_every_layer_has_files_and_every_file_of_the_table_exists() -> None:
    stems = {file.stem for file in (ROOT / c_layers.CORE).glob("*.[ch]")}
    named = [stem for layer in c_layers.LAYERS.values() for stem in layer]
    assert sorted(named) == sorted(stems)


def test_a_layered_core_has_no_complaint(tmp_path: Path) -> None:
    assert check(tmp_path) == []


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("ring.c", "void f(void)\n{\n    tt_record();\n}\n", "ring must not use record.c"),
        ("ring.c", '#include "record.h"\n', ""),
        ("ring.h", "TT_EMIT2(1, 2)\n", "ring must not use record.c (emit): TT_EMIT2"),
        ("record.c", "int a = tt_stop(0);\n", "emit must not use start.c (control): tt_stop"),
        ("record.c", "void (*step)(void) = tt_drain_send;\n", "emit must not use drain.c"),
        ("drain.c", "void f(void)\n{\n    tt_stop(0);\n}\n", "drain must not use start.c"),
        ("drain.c", "/* tt_stop(0) */\n", ""),
        ("start.c", "int f(void)\n{\n    return tt_drain_send();\n}\n", "control must not use"),
        ("shared.h", '#include "ring.h"\n', "base must not use ring.h (ring)"),
        ("shared.h", "#define WIPE() (tt_rings[0] = 0)\n", "base must not use ring.c (ring)"),
        ("surprise.c", "int tt_new;\n", "surprise.c: add it to a layer"),
    ],
)
def test_each_crossing_is_reported(tmp_path: Path, file: str, text: str, complaint: str) -> None:
    problems = check(tmp_path, file, text)
    assert bool(problems) == bool(complaint)
    assert any(complaint in problem for problem in problems) or not complaint


def test_a_circle_within_a_layer_is_reported(tmp_path: Path) -> None:
    text = "void tt_combine(void)\n{\n    tt_record();\n}\n"
    (tmp_path / "a").mkdir()
    assert check(tmp_path / "a", "combine.c", text) == []
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / c_layers.CORE).mkdir(parents=True)
    for name, content in {
        "record.c": "void tt_record(void)\n{\n    tt_combine();\n}\n",
        "combine.c": text,
    }.items():
        (tmp_path / "b" / c_layers.CORE / name).write_text(content)
    files = [c_layers.CORE / name for name in ("record.c", "combine.c")]
    assert c_layers.check(tmp_path / "b", files) == [
        "firmware/core: a circle of files: combine.c -> record.c -> combine.c"
    ]
