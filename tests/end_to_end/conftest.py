"""Shared settings of the end-to-end tests: one cache, so that nothing is compiled twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.core.options import Limits, Options
from migrate.core.targets import Target
from migrate.rules.catalogue import Catalogue, load_catalogue

pytest.register_assert_rewrite("tests.end_to_end.corpus_runs")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def options() -> Options:
    """Options for any target (tests replace it); one program at a time, xdist does the rest."""
    return Options(
        Target.TILELANG, cache_dir=ROOT / "build" / "cache", limits=Limits(seconds=120), jobs=1
    )


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue()
