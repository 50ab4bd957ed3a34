"""CM2xxx: facts about kernels."""

from __future__ import annotations

from migrate.core.diagnostics import Code

NOT_AFFINE = Code("CM2001", "index is not an affine form of the thread index")
