"""Parses rule fragments with the front end: the parser that the matcher is handed."""

from __future__ import annotations

from pathlib import Path

from migrate.frontend.program import FrontendOptions, read_unit
from migrate.ir.kernel import Module
from migrate.rules.fragments import FragmentParser


def parser_in(folder: Path) -> FragmentParser:
    """A parser that keeps its source in ``folder``; every fragment has to be readable."""

    def parse(source: str) -> Module:
        path = folder / "fragments.cu"
        path.write_text(source, encoding="utf-8")
        unit = read_unit(path, folder, FrontendOptions())
        assert not unit.unread, [u.diagnostic.one_line() for u in unit.unread]
        return unit.module

    return parse
