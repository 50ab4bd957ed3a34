"""docs/architecture.md lists every file with its first sentence."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).parents[2] / "docs"


def _writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_file_list", DOCS / "write_file_list.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRITER = _writer()


def test_list_is_up_to_date() -> None:
    shown = WRITER.PAGE.read_text(encoding="utf-8")
    assert shown == WRITER.page(), "run `make docs`"


def test_every_folder_is_listed() -> None:
    root = DOCS.parent / "migrate"
    folders = {
        p.parent.relative_to(root).as_posix() for p in root.rglob("*.py") if p.name != "__init__.py"
    }
    assert folders - {name or "." for name, _ in WRITER.FOLDERS} == set()


def test_every_file_says_what_it_is() -> None:
    assert [row for row in WRITER.file_list().splitlines() if row.endswith("| . |")] == []
