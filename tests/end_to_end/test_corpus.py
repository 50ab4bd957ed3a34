"""Every corpus program reaches the outcome that its case.yaml states, on every target."""

from __future__ import annotations

import pytest

from migrate.core.options import Options
from migrate.pipeline.suite import SuiteProgram
from migrate.rules.catalogue import Catalogue
from tests.end_to_end.corpus_runs import PARTS, SUITE, check_outcome


@pytest.mark.slow
@pytest.mark.parametrize("program", PARTS[0], ids=lambda p: p.source.name)
def test_program(program: SuiteProgram, options: Options, catalogue: Catalogue) -> None:
    check_outcome(program, options, catalogue)


def test_corpus_has_twenty_programs_and_each_is_run() -> None:
    assert len(SUITE) >= 20
    assert sorted(p.source.name for part in PARTS for p in part) == sorted(
        p.source.name for p in SUITE
    )
