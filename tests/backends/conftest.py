"""Fixtures for back-end tests: CUDA text in, migrated files out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.backends.ascendc.assemble import emit_ascend
from migrate.core.artifact import Artifact
from migrate.core.options import DoublePolicy, Options
from migrate.core.targets import Target
from migrate.frontend.program import FrontendOptions, read_program
from migrate.lifting.lift import lift
from migrate.rules.catalogue import Catalogue, load_catalogue

Convert = Callable[..., Artifact]


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.fixture(scope="session")
def prelude_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One precompiled prelude for the whole session."""
    return tmp_path_factory.mktemp("prelude")


@pytest.fixture
def convert(tmp_path: Path, prelude_cache: Path, catalogue: Catalogue) -> Convert:
    """Convert one source (text, bytes or a path) for a chip."""

    def run(
        source: str | bytes | Path,
        target: Target = Target.ASCEND_950,
        double: DoublePolicy = DoublePolicy.REFUSE,
        name: str = "unit.cu",
    ) -> Artifact:
        if isinstance(source, Path):
            path = source
        else:
            path = tmp_path / name
            path.write_bytes(source if isinstance(source, bytes) else source.encode())
        options = Options(target, double=double, cache_dir=prelude_cache)
        program = read_program((path,), FrontendOptions(cache_dir=prelude_cache))
        lifted = {
            u.main.relative.as_posix(): tuple(
                lift(k, u.module, target, options) for k in u.module.kernels
            )
            for u in program.units
        }
        return emit_ascend(program, lifted, target, options, catalogue)

    return run
