"""One corpus program against the outcome that its case.yaml states, on every target.

The programs are shared out over several files of tests, because a file is what one worker runs.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.score import score_suite
from migrate.pipeline.suite import SuiteProgram, load_suite
from migrate.rules.catalogue import Catalogue

ROOT = Path(__file__).resolve().parents[2]
SUITE = load_suite(ROOT / "corpus", None, "{program}", frozenset())
PARTS = tuple(SUITE[first::4] for first in range(4))
TILELANG = importlib.util.find_spec("tilelang") is not None


def check_outcome(program: SuiteProgram, options: Options, catalogue: Catalogue) -> None:
    """Converts for all targets at once, since the original is built and run once."""
    targets = tuple(t for t in Target if TILELANG or t is not Target.TILELANG)
    score = score_suite((program,), targets, options, catalogue)
    assert list(score.misses) == []
    for run in score.programs:
        assert run.original == "pass", run.detail
        assert run.migrated != "fail", run.detail
    kernels = Counter(k.target for k in score.kernels)
    assert set(kernels) == {t.value for t in targets}
    assert all(k.launches > 0 for k in score.kernels if k.verdict == "equal-captured")
