"""Every corpus program reaches the outcome that its case.yaml states, on every target: the fourth part."""

from __future__ import annotations

import pytest

from migrate.core.options import Options
from migrate.pipeline.suite import SuiteProgram
from migrate.rules.catalogue import Catalogue
from tests.end_to_end.corpus_runs import PARTS, check_outcome


@pytest.mark.slow
@pytest.mark.parametrize("program", PARTS[3], ids=lambda p: p.source.name)
def test_program(program: SuiteProgram, options: Options, catalogue: Catalogue) -> None:
    check_outcome(program, options, catalogue)
