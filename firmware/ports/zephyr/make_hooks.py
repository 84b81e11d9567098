"""Makes the header of Zephyr's tracing hooks from their table: make_hooks.py hooks.yaml HEADER."""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

_GUARD = "TICKERTAPE_HOOKS_OF_ZEPHYR_H"
_HEAD = f"""\
/* Made by make_hooks.py from hooks.yaml, which says what it is; do not edit. */
#ifndef {_GUARD}
#define {_GUARD}

#include "tickertape_zephyr.h"
"""


def render(table: dict[str, dict[str, str]]) -> str:
    """Make the text of the header: #undef and #define of every hook, group by group."""
    lines = [_HEAD]
    for group, hooks in table.items():
        lines.append(f"/* {group}. */")
        for hook, becomes in hooks.items():
            macro = hook if hook.startswith("sys_") else f"sys_port_trace_{hook}"
            name, _, _ = macro.partition("(")
            steps = [step.strip() for step in becomes.split(";")]
            several = f"do {{ {' '.join(f'{step};' for step in steps)} }} while (0)"
            body = several if len(steps) > 1 else becomes
            lines += [f"#undef {name}", f"#define {macro} {body}"]
        lines.append("")
    return "\n".join([*lines, "#endif", ""])


def main(table: str, header: str) -> None:
    """Write the header, unless it is there already: its time makes everything compile again."""
    text = render(yaml.safe_load(Path(table).read_text(encoding="utf-8")))
    path = Path(header)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
