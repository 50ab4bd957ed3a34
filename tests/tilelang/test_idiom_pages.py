"""Pages of idioms show what is emitted."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest

from migrate.backends.tilelang.emit import emit_tilelang
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.frontend.program import FrontendOptions, read_program
from migrate.lifting.lift import lift

PAGES = sorted((Path(__file__).parents[2] / "docs" / "idioms").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_page_shows_what_is_emitted(page: Path, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    (before,) = re.findall(r"```cuda\n(.*?)```", text, re.DOTALL)
    (after,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    source = tmp_path / "page.cu"
    source.write_text(before, "utf-8")
    unit = read_program((source,), FrontendOptions(cache_dir=tmp_path / "c")).units[0]
    options = Options(Target.TILELANG)
    lifted = tuple(lift(k, unit.module, Target.TILELANG, options) for k in unit.module.kernels)
    assert [f"Rung: `{x.rung.value}`." in text for x in lifted] == [True]
    for note in (d for x in lifted for d in x.diagnostics):
        assert note.code.id in text and note.cause in text
    emitted = emit_tilelang(unit, lifted, options).files[0].content.decode()
    start = emitted.index("        with T.Kernel(")
    body = dedent(emitted[start : emitted.index("    return build(", start)])
    assert body.rstrip() == after.rstrip()
